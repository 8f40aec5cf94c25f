import { expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import type { Promised } from '../../../schemas/till-promises.ts'
import { PromisedPayments } from '../../../services/till/sale/promised-payments.ts'
import { evmScheme } from '../../../services/till/schemes/evm.ts'
import { svmScheme } from '../../../services/till/schemes/svm.ts'
import { payer, payTo, signed } from './paying.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const { base, solana } = networks
const finder = {} as never
const schemes = new Map<string, unknown>([
  [base.caip2, evmScheme({ network: 'base', finder, now: () => now })],
  [solana.caip2, svmScheme({ network: 'solana', finder, now: () => now })],
]) as never
const opened = () => new PromisedPayments({ resourceOf: () => undefined }, schemes, () => now)
const promised = (network: 'base' | 'solana') =>
  ({
    ...{ origin: 'data', operation: 'prices', network, price_usdc: '0.002' },
    ...{ payer: payer.address, pay_to: payTo, dead_at: '2026-01-01T00:01:00Z' },
    trace: { network: networks[network].caip2 },
  }) as Promised

it.each(['no JSON', '{}', 'null', '{"transaction":1}', '{"transaction":"AA==","signature":"0x"}'])(
  'a promise whose payment is %s is settled by nobody, and stops nobody',
  paying => {
    const payments = opened()
    for (const network of ['base', 'solana'] as const) {
      payments.keep('one', promised(network), paying)
      expect(payments.of('one')).toBeUndefined()
    }
  },
)

it('a promise tells the facilitator what pays, and nothing else that its record says', async () => {
  const { payload } = await signed({}, now)
  const scheme = evmScheme({ network: 'base', finder, now: () => now })
  const spendId = scheme.spendOf(payload) as string
  const tells = (paying: string, as = spendId) => {
    const payments = opened()
    payments.keep(as, promised('base'), paying)
    return payments.of(as)?.request()
  }
  const plain = tells(JSON.stringify(payload)) as string
  expect(JSON.parse(plain).paymentPayload.payload).toEqual(scheme.plain(payload))
  const [{ authorization, signature }, asked] = [payload, JSON.stringify(payload)]
  expect(tells(JSON.stringify({ more: 1, signature, authorization: { ...authorization, more: 1 } }))).toBe(
    plain,
  )
  // A text that closes its place in the request, and goes on there.
  expect(tells(`${asked},"extensions":{}}`)).toBeUndefined()
  expect(tells(`{"signature":"0x",${asked.slice(1)}`)).toBeUndefined()
  expect(tells(JSON.stringify({ signature: '0x"', authorization }))).toBeUndefined()
  expect(tells(asked, 'another spend')).toBeUndefined()
})

it('a payment that is longer than any till writes one is not kept', async () => {
  const { payload } = await signed({}, now)
  const spendId = evmScheme({ network: 'base', finder, now: () => now }).spendOf(payload) as string
  const isKept = (blanks: number) => {
    const payments = opened()
    payments.keep(spendId, promised('base'), JSON.stringify(payload) + ' '.repeat(blanks))
    return payments.of(spendId) !== undefined
  }
  expect([isKept(100), isKept(3000)]).toEqual([true, false])
})
