/** A transfer pays for one purchase. */
import { expect, it } from 'vitest'
import { Credits } from '../../../services/till/ledger/credits.ts'

const tx = `0x${'ab'.repeat(32)}`
const at = (position: number | undefined, of = tx) => ({ tx: of, position })

it('is taken for every other spend, and never for its own', () => {
  const credits = new Credits()
  expect(credits.isTaken('base', at(3), 'one')).toBe(false)
  credits.take('base', at(3), 'one')
  expect(credits.isTaken('base', at(3), 'one')).toBe(false)
  expect(credits.isTaken('base', at(3), 'two')).toBe(true)
  expect(credits.isTaken('polygon', at(3), 'two')).toBe(false)
})

it('is one of several in a transaction, if the chain has shown the place of both', () => {
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

it('has the place that the chain shows at last, and not the one that was unknown before', () => {
  const credits = new Credits()
  credits.take('base', at(undefined), 'one')
  expect(credits.isTaken('base', at(undefined), 'two')).toBe(true)
  expect(credits.isTaken('base', at(7), 'two')).toBe(false)
  credits.take('base', at(7), 'one')
  expect(credits.isTaken('base', at(7), 'two')).toBe(true)
})

it('is the same hash in either case, and another signature of Solana', () => {
  const credits = new Credits()
  credits.take('base', at(3, tx.toUpperCase().replace('X', 'x')), 'one')
  expect(credits.isTaken('base', at(3), 'two')).toBe(true)
  credits.take('solana', at(3, 'Sig'), 'one')
  expect(credits.isTaken('solana', at(3, 'sig'), 'two')).toBe(false)
})

it('is remembered among the newest: 64 of a transaction, and 100,000 transactions', () => {
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
