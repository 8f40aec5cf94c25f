/** What the canary buys like any customer, an event per step. What is about to be paid is in the log before it is signed. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Decimal, Instant } from './values/values.ts'

const word = 'LowCardinality(String)'
const moment = "DateTime64(3, 'UTC')"
const orNot = 'Nullable(String)'

const canarySteps = ['quote', 'log', 'payment', 'answer', 'receipt', 'signature', 'chain'] as const
export type CanaryStep = (typeof canarySteps)[number]

const fields = {
  purchase_id: field(z.uuid(), 'String', 'The purchase, which is also its Idempotency-Key'),
  state: field(
    z.enum(['intended', 'good', 'failed', 'skipped']),
    word,
    'intended: about to be paid, and counted in the budget of its day; good: every check has passed; failed: one has not; skipped: the budget of the day was used up, and nothing was paid',
  ),
  at: field(Instant, moment, 'When'),
  network: field(z.enum(receiptNetworks), word, 'The chain'),
  operation: field(z.string(), word, 'The path that was bought'),
  price_usdc: field(Decimal, 'Decimal(18, 6)', 'The price of the quote, in USDC; 0 where none was heard'),
  payer: field(z.string(), 'String', 'The wallet of the canary'),
  pay_to: field(z.string().nullable(), orNot, 'The payee of the quote'),
  request_id: field(z.string().nullable(), orNot, 'The request of the receipt'),
  payment_tx: field(z.string().nullable(), orNot, 'The transaction in which the chain shows the payment'),
  failed_step: field(
    z.enum(canarySteps).nullable(),
    'LowCardinality(Nullable(String))',
    'quote: no price was heard that it pays; log: the intent could not be written; payment: nothing was signed; answer: none came, or not the declared one; receipt: it says another thing than the quote; signature: it is not by the signer of the seller; chain: the transfer is not there',
  ),
  reason: field(z.string().nullable(), orNot, 'What was wrong'),
  took_ms: field(z.int().min(0).nullable(), 'Nullable(UInt32)', 'From the payment to the answer'),
  next_at: field(Instant, moment, 'When the canary buys next on this network'),
}

export type CanaryPurchase = RowOf<typeof fields>

export const canaryNow = latest<CanaryPurchase>({
  name: 'canary_now',
  about:
    'A row per purchase of the canary, with its end: what was bought, whether every check has passed, and which has not',
  key: ['purchase_id'],
  newest: ['at'],
  // Sellers show the last ones, and have no store in a cluster.
  held: true,
  required: false,
})

const dayMs = 86_400_000

export const canaryPurchases = defineDataset({
  name: 'canary_purchases',
  about:
    'Every step of every purchase of the canary, a customer of our own who looks whether sales are what they should be',
  fields,
  key: ['purchase_id'],
  identity: ['purchase_id', 'state'],
  // Two canaries share one budget: what comes first in the log has it.
  inOneOrder: true,
  keep: { ms: 30 * dayMs },
  views: [canaryNow],
})
