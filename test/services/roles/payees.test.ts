import { expect, it } from 'vitest'
import { Tariff } from '../../../services/offer/tariff.ts'
import { Payees } from '../../../services/roles/payees.ts'

const [first, second, third] = ['1', '2', '3'].map(digit => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
]

it('every wallet that a file names is known since it was named first, and one that has left its file as well', () => {
  const prices = new Tariff(
    ['base', 'solana'],
    { pay_to: { base: first, polygon: third }, operations: { '/fx': { pay_to: { base: second } } } },
    { sold: { solana: 'So1' } },
  )
  const clock = { now: 1000 }
  const payees = new Payees(() => clock.now)
  const take = () => payees.take(prices.named())
  take()
  prices.listen(take)
  clock.now = 2000
  prices.take({
    origins: { data: { pay_to: { base: third } } },
    pay_to: { base: first.toUpperCase().replace('X', 'x') },
  })
  expect(payees.list()).toEqual([
    { network: 'base', address: first, sinceMs: 1000 },
    { network: 'base', address: second, sinceMs: 1000 },
    { network: 'solana', address: 'So1', sinceMs: 1000 },
    { network: 'base', address: third, sinceMs: 2000 },
  ])
})
