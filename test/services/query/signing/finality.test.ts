/** What is said beside a receipt: whether its chain calls the payment final. */
import { expect, it } from 'vitest'
import { type FinalityLine, finalityNow, type TakenBack } from '../../../../schemas/finality.ts'
import { Failure } from '../../../../services/offer/errors.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { finalityOf } from '../../../../services/query/signing/finality.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const line: FinalityLine = {
  network: 'base',
  since: at(100),
  through: at(200),
  safe_through: null,
  at: at(210),
  next: { '0': '3' },
}
const sale = (issuedAt: number, transaction = '0xAB') => ({
  ...{ network: 'eip155:8453', payer: '0xCD', transaction, issuedAt },
})
const taken = (state: TakenBack['state'], second: number, payer = '0xcd') =>
  ({ network: 'base', payment_tx: '0xab', payer, state, at: at(second) }) as TakenBack

const says = (
  sold: ReturnType<typeof sale>,
  told: TakenBack[] = [],
  known: FinalityLine | undefined = line,
) => {
  const view = (asked: unknown) =>
    asked === finalityNow
      ? { get: (network: string) => (network === 'base' ? known : undefined) }
      : { rows: () => told }
  return finalityOf(sold, { view } as unknown as Pick<Tools, 'view'>)
}

it('a sale is final from the line backwards, as far as sales were followed', () => {
  expect([99, 100, 199, 200, 201].map(second => says(sale(second)))).toEqual([
    ...['settled', 'final', 'final', 'settled', 'settled'],
  ])
  expect(says({ ...sale(150), network: 'eip155:137' })).toBe('settled')
  expect(says({ ...sale(150), network: 'eip155:1' })).toBeUndefined()
})

it('between final and settled it is safe, as far as the line of that reaches', () => {
  const known = { ...line, safe_through: at(220) }
  const told = [99, 199, 200, 219, 220].map(second => says(sale(second), [], known))
  expect(told).toEqual(['settled', 'final', 'safe', 'safe', 'settled'])
  expect(says(sale(150), [taken('settled_again', 210)], known)).toBe('safe')
  expect(says(sale(150), [taken('taken_back', 160)], known)).toBe('taken_back')
})

it('what was taken back is never called final, until it stands again and is', () => {
  expect(says(sale(150), [taken('taken_back', 160)])).toBe('taken_back')
  expect(says(sale(150), [taken('lost', 160)])).toBe('lost')
  expect(says(sale(150), [taken('settled_again', 190)])).toBe('final')
  expect(says(sale(150), [taken('settled_again', 201)])).toBe('settled')
  expect(says(sale(150), [taken('lost', 160, '0xother')])).toBe('final')
})

it('of two sales to one payer in one transaction the worse one speaks', () => {
  const both = [taken('settled_again', 190), taken('taken_back', 160)]
  for (const told of [both, both.toReversed()]) expect(says(sale(150), told)).toBe('taken_back')
})

it('where nobody can tell, nothing is said', () => {
  const view = () => {
    throw new Failure('stale_data')
  }
  expect(finalityOf(sale(150), { view } as unknown as Pick<Tools, 'view'>)).toBeUndefined()
})
