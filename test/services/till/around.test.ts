/** Whoever has many IPv6 networks is a few callers, and not as many as he has networks. */
import { expect, it } from 'vitest'
import type { Purchase } from '../../../services/till/ledger/purchase.ts'
import { Allowance } from '../../../services/till/sale/allowance.ts'
import { around } from '../../../services/till/sale/around.ts'
import { NewPayers } from '../../../services/till/sale/new-payers.ts'
import { Places } from '../../../services/till/sale/places.ts'
import type { Payment } from '../../../services/till/till.ts'
import { failure } from './tills.ts'

const networkOf = (nth: number) => `2001:db8:7:${(nth * 0x100).toString(16)}::/64`
const asked = (caller: string, nth: number) => ({ caller, payment: { payer: `wallet ${nth}`, proven: true } })

it('a caller of IPv6 stands in a /56 and in a /48, and one of IPv4 in none', () => {
  const names = (caller: string) => around(caller).map(({ name }) => name)
  expect(names('2001:db8:7:12ab::/64')).toEqual(['2001:db8:7:18/56', '2001:db8:7/48'])
  expect(names('2001:db8:7:12ff::/64')).toEqual(names('2001:db8:7:12ab::/64'))
  expect(names('2001:db8::/64')).toEqual(['2001:db8:0:0/56', '2001:db8:0/48'])
  expect(names('::/64')).toEqual(['0:0:0:0/56', '0:0:0/48'])
  expect([names('203.0.113.7'), names('unknown')]).toEqual([[], []])
})

it('a /48 has sixteen times the refusals of a caller, and a /56 four times', () => {
  const allowance = new Allowance(() => 0)
  const of56 = Array.from({ length: 120 }, (_, nth) => `2001:db8:9:${(nth % 256).toString(16)}::/64`)
  for (const [nth, caller] of of56.entries()) {
    allowance.admit(asked('2001:db8:9:ff::/64', 1000))
    allowance.countUnpaid(asked(caller, nth))
  }
  expect(() => allowance.admit(asked('2001:db8:9:ff::/64', 1000))).toThrow(failure('too_many_requests'))
  allowance.admit(asked('2001:db8:9:100::/64', 1000))
  for (let nth = 0; nth < 480; nth++) {
    allowance.admit(asked('2001:db8:7:ffff::/64', 1000))
    allowance.countUnpaid(asked(networkOf(nth % 256), nth))
  }
  expect(() => allowance.admit(asked('2001:db8:7:ffff::/64', 1000))).toThrow(failure('too_many_requests'))
  allowance.admit(asked('2001:db8:8:ffff::/64', 1000))
})

it('new payers of one /48 are as many at once as it has refusals left', async () => {
  const trials = new NewPayers(new Allowance(() => 0))
  const begun = []
  for (let nth = 0; nth < 480; nth++) begun.push(await trials.begin(asked(networkOf(nth % 256), nth), 0))
  await expect(trials.begin(asked('2001:db8:7:ffff::/64', 1000), 0)).rejects.toThrow(failure('busy'))
  begun[0]?.end()
  await trials.begin(asked('2001:db8:7:ffff::/64', 1000), 0)
})

it('a /48 leaves sixteen times as many outcomes unknown as a caller', () => {
  const places = new Places(1 << 30)
  for (let nth = 0; nth < 16 * 64; nth++)
    places.doubt({ promised: { payer: `${nth}` }, state: 'open' } as Purchase, networkOf(nth % 256))
  const take = (caller: string) => places.take({ payer: 'new', proven: true } as Payment, caller)
  expect(() => take('2001:db8:7:ffff::/64')).toThrow(failure('busy'))
  take('2001:db8:8:ffff::/64')
})
