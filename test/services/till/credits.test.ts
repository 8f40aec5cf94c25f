/** A transfer pays for one purchase. */
import { expect, it } from 'vitest'
import { Credits } from '../../../services/till/ledger/credits.ts'

const tx = `0x${'ab'.repeat(32)}`
const at = (position: number | undefined, of = tx) => ({ tx: of, position })

it('that has paid for one purchase is taken for all others, and not for its own', () => {
  const credits = new Credits()
  expect(credits.isTaken('base', at(3), 'one')).toBe(false)
  credits.take('base', at(3), 'one')
  expect(credits.isTaken('base', at(3), 'one')).toBe(false)
  expect(credits.isTaken('base', at(3), 'two')).toBe(true)
  expect(credits.isTaken('polygon', at(3), 'two')).toBe(false)
})

it('is told from others of its transaction once the chain has shown the places of both', () => {
  const credits = new Credits()
  credits.take('base', at(3), 'one')
  expect(credits.isTaken('base', at(4), 'two')).toBe(false)
  credits.take('base', at(4), 'two')
  expect(['one', 'two', 'three'].map(spend => credits.isTaken('base', at(3), spend))).toEqual([
    ...[false, true, true],
  ])
  // A facilitator that names the transaction alone may mean either.
  expect(credits.isTaken('base', at(undefined), 'three')).toBe(true)
})

it('takes the place that the chain shows later, and frees the unknown one', () => {
  const credits = new Credits()
  credits.take('base', at(undefined), 'one')
  expect(credits.isTaken('base', at(undefined), 'two')).toBe(true)
  expect(credits.isTaken('base', at(7), 'two')).toBe(false)
  credits.take('base', at(7), 'one')
  expect(credits.isTaken('base', at(7), 'two')).toBe(true)
})

it('has one hash in upper and lower case on EVM, and two on Solana', () => {
  const credits = new Credits()
  credits.take('base', at(3, tx.toUpperCase().replace('X', 'x')), 'one')
  expect(credits.isTaken('base', at(3), 'two')).toBe(true)
  credits.take('solana', at(3, 'Sig'), 'one')
  expect(credits.isTaken('solana', at(3, 'sig'), 'two')).toBe(false)
})

it('is remembered with the newest 64 of its transaction, in the newest 100,000 transactions', () => {
  const credits = new Credits()
  const isFirst = (nth: number) => credits.isTaken('base', at(nth), 'another')
  for (let nth = 0; nth < 64; nth++) credits.take('base', at(nth), `spend ${nth}`)
  expect(isFirst(0)).toBe(true)
  credits.take('base', at(64), 'spend 64')
  expect([isFirst(0), isFirst(1), isFirst(64)]).toEqual([false, true, true])

  for (let nth = 1; nth < 100_000; nth++) credits.take('base', at(0, `tx ${nth}`), `spend of ${nth}`)
  expect(isFirst(1)).toBe(true)
  credits.take('base', at(0, 'one more'), 'one more')
  expect(isFirst(1)).toBe(false)
  expect(credits.isTaken('base', at(0, 'tx 1'), 'another')).toBe(true)
})
