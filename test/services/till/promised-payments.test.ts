import { expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import type { Promised } from '../../../schemas/till-promises.ts'
import { PromisedPayments } from '../../../services/till/sale/promised-payments.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const promised = {
  ...{ origin: 'data', operation: 'prices', network: 'solana', price_usdc: '0.01' },
  ...{ payer: 'a', pay_to: 'b', dead_at: '2026-01-01T00:01:00Z' },
  trace: { network: networks.solana.caip2 },
} as Promised

it.each(['no JSON', '{}', 'null', '{"transaction":1}'])(
  'a promise whose payment is %s is settled by nobody, and stops nobody',
  paying => {
    const payments = new PromisedPayments({ resourceOf: () => undefined }, () => now)
    payments.keep('one', promised, paying)
    expect(payments.of('one')).toBeUndefined()
  },
)
