/** What a payer or a caller has left open is counted for a bounded number of names. */
import { expect, it } from 'vitest'
import type { Purchase } from '../../../services/till/ledger/purchase.ts'
import { Doubts } from '../../../services/till/sale/doubts.ts'

const open = () => ({ state: 'open' }) as Purchase

it('counts the purchases of a name until each has ended, whatever its end', () => {
  const doubts = new Doubts()
  const [settled, failed, refused] = [open(), open(), open()]
  for (const purchase of [settled, failed, refused, settled]) doubts.add('payer', purchase)
  expect([doubts.count('payer'), doubts.count('another')]).toEqual([3, 0])
  settled.state = 'settled'
  failed.state = 'failed'
  expect(doubts.count('payer')).toBe(1)
  refused.state = 'refused'
  expect(doubts.count('payer')).toBe(0)
  doubts.add('payer', open())
  expect(doubts.count('payer')).toBe(1)
})

it('forgets the name that was counted longest ago when there are more than 10,000', () => {
  const doubts = new Doubts()
  const names = Array.from({ length: 10_000 }, (_, nth) => `payer ${nth}`)
  for (const name of names) doubts.add(name, open())
  doubts.add('payer 0', open())
  doubts.add('one more', open())
  expect(['payer 0', 'payer 1', 'payer 2', 'one more'].map(name => doubts.count(name))).toEqual([2, 0, 1, 1])
})
