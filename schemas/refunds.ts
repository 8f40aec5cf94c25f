/** Money that goes back to the payer of a sale, an event per step. What is to be sent is in the log before anything is sent. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { evmTrace, svmTrace } from './till-promises.ts'
import { Decimal, Instant } from './values/values.ts'

const text = z.string()
const word = 'LowCardinality(String)'

/** By what a chain tells how one try to pay has ended. */
export const refundTrace = z.union([evmTrace, svmTrace])

const fields = {
  request_id: field(text.regex(/^[\w-]{1,64}$/, 'a request id'), 'String', 'The request of the receipt'),
  step: field(
    z.enum(['ordered', 'refused', 'intended', 'dropped', 'paid', 'final']),
    word,
    'ordered: it is to be paid back; refused: it is not; intended: about to be sent; dropped: that try moved nothing and never will; paid: the chain shows the transfer, which a reorganisation may still take back: then it is dropped; final: nothing takes it back',
  ),
  attempt: field(z.int().min(0), 'UInt32', 'Which order or try of this request: each has the next number'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
  cause: field(
    z.enum(['command', 'undelivered', 'corrected']),
    word,
    'command: an operator has ordered it; undelivered: a rule has, because its answer was not fetched while it was kept; corrected: a rule has, because its source has corrected a fact of the answer',
  ),
  reason: field(text.nullable(), 'Nullable(String)', 'Why it was ordered, refused or dropped'),
  network: field(
    z.enum([...receiptNetworks, 'none']),
    word,
    'The chain of sale and refund; none as long as the sale is not found',
  ),
  amount_usdc: field(Decimal, 'Decimal(18, 6)', 'The whole price of the sale; 0 as long as it is not found'),
  payer: field(text, 'String', 'Who gets it: the payer of the sale'),
  refunded_by: field(text, 'String', 'The address that pays it'),
  payment_tx: field(text.nullable(), 'Nullable(String)', 'The transaction of the sale'),
  payment_position: field(
    z.int().min(0).nullable(),
    'Nullable(UInt32)',
    'The place of its transfer, as in chain_payments',
  ),
  refund_tx: field(
    text.nullable(),
    'Nullable(String)',
    'The transaction of the refund, once the chain shows it',
  ),
  trace: field(
    text.nullable(),
    'Nullable(String)',
    'With intended and paid: by what the chain tells how it ended, as JSON',
  ),
  receipt: field(
    text.nullable(),
    'Nullable(String)',
    'With paid and final: the signed receipt, as JSON; null where the paying process has no SIGNER_KEY',
  ),
  // Older steps have none.
  fee_coins: field(
    Decimal.nullable().default(null),
    'Nullable(Decimal(38, 18))',
    'With final: what its transaction has cost, in coins of the chain; null where no node says so',
  ),
}

export type RefundStep = RowOf<typeof fields>

const refunded = latest<RefundStep>({
  name: 'refunded',
  about:
    'A row per sale that was paid back: to whom, how much, why, with which transaction, and whether that is final',
  key: ['request_id'],
  of: "step in ('paid', 'final', 'dropped')",
  sql: rows =>
    `select at, request_id, cause, network, amount_usdc, payer, refunded_by, payment_tx, refund_tx, receipt, fee_coins, step = 'final' as is_final from ${rows} where step <> 'dropped'`,
  columns: { is_final: 'No reorganisation takes it back' },
})

export const refunds = defineDataset({
  name: 'refunds',
  about: 'Every step of every refund, from its order to its transfer',
  fields,
  key: ['request_id'],
  identity: ['request_id', 'step', 'attempt'],
  views: [refunded],
  checks: [
    {
      name: 'once',
      about: 'a transfer of a sale is paid back once',
      wrong: `select payment_tx from refunds where step = 'final' group by network, payment_tx, payment_position having uniqExact(request_id, refund_tx) > 1`,
    },
    {
      name: 'whole',
      about: 'what is paid back has the price of its sale',
      wrong: `select refunds.request_id as request_id from refunds inner join receipts on receipts.request_id = refunds.request_id where refunds.step = 'paid' and (refunds.amount_usdc <> receipts.price_usdc or lower(refunds.payer) <> lower(receipts.payer))`,
    },
  ],
})
