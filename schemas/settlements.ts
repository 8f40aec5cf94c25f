/**
 * The payment of one call, an event per step: intended, then settled, failed or unknown; an unknown one is resolved
 * later.
 */
import { z } from 'zod'
import { defineDataset, field, lately, latest, type RowOf } from './dataset/dataset.ts'
import { operations } from './dimensions.ts'
import { payerViewsOf } from './payer-views.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Decimal, Instant, Sha256 } from './values/values.ts'

export const settlementState = z.enum([
  'intended',
  'settled',
  'failed',
  'unknown',
  'undelivered',
  'confirmed',
  'refuted',
  'free',
])

const fields = {
  spend_id: field(
    Sha256,
    'FixedString(64)',
    'The id of the payment: it is the same in whatever form the payment comes; of a free call, that of its request',
  ),
  state: field(
    settlementState,
    'LowCardinality(String)',
    'intended: about to be settled; settled: the money moved; failed: it did not move (a later settled says that it did after all); unknown: nobody can say yet; undelivered: settled, and its answer was not fetched while it was kept, so its payer is owed a refund; confirmed, refuted: the chain shows, or denies, the transfer that a facilitator had called settled; free: a call without a wallet, for which nothing was to be paid',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When this state was reached'),
  request_id: field(z.string(), 'String', 'The request of the receipt'),
  // Events from the time when `data` was the only origin do not name it.
  origin: field(z.string().default('data'), 'LowCardinality(String)', 'The origin that sold it'),
  operation: field(z.string(), 'LowCardinality(String)', 'What was bought (the receipt calls it tool)'),
  network: field(
    z.enum([...receiptNetworks, 'none']),
    'LowCardinality(String)',
    'The chain; none where nothing was paid',
  ),
  amount_usdc: field(Decimal, 'Decimal(18, 6)', 'The price, in USDC'),
  payer: field(z.string(), 'String', 'The paying address; empty where nothing was paid'),
  pay_to: field(z.string(), 'String', 'The receiving address; empty where nothing was paid'),
  payment_tx: field(z.string().nullable(), 'Nullable(String)', 'The transaction, once known'),
  payment_position: field(
    // Older events have no value.
    z.int().min(0).nullable().default(null),
    'Nullable(UInt32)',
    'The place of the transfer, as in chain_payments, where the chain has shown it: a transaction may hold several',
  ),
  question_sha256: field(
    Sha256,
    'FixedString(64)',
    'Path and question under a key that is drawn for this payment and forgotten with its promise: nobody finds the question by trying, and the same question is never the same here',
  ),
  answer_sha256: field(
    Sha256,
    'FixedString(64)',
    'The answer without its receipt, under the same key; of an answer that holds a secret, its plain hash',
  ),
  resolved: field(z.boolean(), 'Bool', 'The state was found later, on chain, after a crash or a lost reply'),
  reason: field(z.string().nullable(), 'Nullable(String)', 'Why it failed or is unknown'),
}

export type SettlementEvent = RowOf<typeof fields>

export const receipts = latest<SettlementEvent>({
  name: 'receipts',
  about: 'A row per payment that moved money: what was sold, to whom, for how much, with which transaction',
  key: ['spend_id'],
  // Instances do not write in one order: an intent or an unknown state that comes late must not hide a sale.
  of: "state = 'settled'",
  ordered: {
    table: 'sales',
    about: 'The rows of the view `receipts`, in the order of their time, from which it is read',
    by: ['at', 'spend_id'],
    columns: [
      ...([
        'spend_id',
        'at',
        'request_id',
        'origin',
        'operation',
        'network',
        'amount_usdc',
        'payer',
      ] as const),
      ...(['pay_to', 'payment_tx', 'resolved'] as const),
    ],
    // A sale is told again only by who finds it on the chain, after a crash or a lost reply.
    doubtful: 'resolved',
  },
  sql: rows =>
    `select at, request_id, origin, operation as tool, network, amount_usdc as price_usdc, payer, pay_to, payment_tx, resolved, spend_id, payer global in (select payer from canary_purchases) as canary from ${rows}`,
  columns: {
    tool: 'What was bought',
    price_usdc: 'What was paid, in USDC',
    canary: '1 where a canary of ours has bought it: no revenue',
  },
})

/**
 * One payment that has bought twice counts as two. A transaction may hold many transfers, and only minutes later does the
 * chain tell which one belongs to a payment. Until then, the facilitator's word may stand for one payment only. A finding
 * disappears after three days, because answers that were given cannot be changed. A payment may be resolved for eight days, so the
 * other one may be older than what came lately: then the look at all rows finds it, within a day.
 */
const creditedTwice = `
  select network, tx, count() as payments
  from (
    select network, spend_id, request_id, max(at) as credited, argMax(payment_tx, (state = 'confirmed', at)) as tx,
      argMax(payment_position, (state = 'confirmed', at)) as place
    from settlements where ${lately} and at > now() - interval 9 day and state in ('settled', 'confirmed')
    group by spend_id, request_id, network
  )
  group by network, tx
  having max(credited) > now() - interval 3 day and (
    uniqExact(place) < count(place)
    or (count() > 1 and countIf(place is null and credited < now() - interval 15 minute) > 0)
  )`

/** In the order of the table, so that it needs no memory for all sales at once. What ended late was begun long before, so those few are looked up. */
const notBegun = `
  with ended as (
    select spend_id, request_id from settlements where ${lately} group by spend_id, request_id
    having countIf(state in ('settled', 'failed', 'unknown') and at < now() - interval 10 minute) > 0 and countIf(state = 'intended') = 0
  )
  select spend_id, request_id from ended where (spend_id, request_id) not in (
    select spend_id, request_id from settlements where state = 'intended' and spend_id in (select spend_id from ended)
  )`

export const settlements = defineDataset({
  name: 'settlements',
  about: 'Every step of every payment, so that each can be audited from intent to outcome',
  fields,
  key: ['spend_id'],
  identity: ['spend_id', 'state', 'request_id'],
  views: [receipts, ...payerViewsOf({ network: fields.network, payer: fields.payer }), operations],
  checks: [
    {
      name: 'transactions',
      about: 'what is settled has a transaction and a price',
      wrong: `select spend_id from settlements where ${lately} and state = 'settled' and (payment_tx is null or amount_usdc <= 0)`,
    },
    {
      name: 'transfers',
      about: 'a transfer is credited to one payment, of those credited within three days',
      wrong: creditedTwice,
      againHours: 24,
    },
    {
      name: 'intents',
      about: 'what ended was begun',
      wrong: notBegun,
    },
  ],
})
