/**
 * How far the sales of each network are final, and each payment that its chain has taken back. A final sale needs no record of
 * its own: it is final if it stands before the line, and is not taken back.
 */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Decimal, Instant, Sha256 } from './values/values.ts'

const moment = "DateTime64(3, 'UTC')"
const offset = z.string().regex(/^\d+$/)

const lineFields = {
  network: field(z.enum(receiptNetworks), 'LowCardinality(String)', 'The chain'),
  since: field(Instant, moment, 'Sales before this time were not followed'),
  through: field(
    Instant,
    moment,
    'Each sale that settled from `since` to this time is final, unless `taken_back` names it',
  ),
  safe_through: field(
    // Older records have no value.
    Instant.nullable().default(null),
    "Nullable(DateTime64(3, 'UTC'))",
    'The same of what is safe and may not be final yet',
  ),
  at: field(Instant, moment, 'When this was found'),
  next: field(
    z.record(offset, offset),
    'Map(String, String)',
    'The offset in `settlements` from which sales of this network may wait, of each partition',
  ),
}

export type FinalityLine = RowOf<typeof lineFields>

export const finalityNow = latest<FinalityLine>({
  name: 'finality_now',
  about: 'How far the sales of each network are safe and final',
  key: ['network'],
  held: true,
  required: false,
})

export const finality = defineDataset({
  name: 'finality',
  about: 'How far the sales of each network are safe and final, by the heads that its chain calls so',
  fields: lineFields,
  key: ['network'],
  identity: ['network'],
  views: [finalityNow],
})

export const takenBackStates = ['taken_back', 'settled_again', 'lost'] as const

const takenFields = {
  spend_id: field(Sha256, 'FixedString(64)', 'The id of the payment, as in `settlements`'),
  state: field(
    z.enum(takenBackStates),
    'LowCardinality(String)',
    'taken_back: its chain showed the transfer, or was said to, and shows it no more; settled_again: it shows it again, perhaps in another transaction; lost: the payment is dead, and no final block has it',
  ),
  at: field(Instant, moment, 'When this was found'),
  settled_at: field(Instant, moment, 'When the sale was settled'),
  request_id: field(z.string(), 'String', 'The request of the receipt'),
  network: field(z.enum(receiptNetworks), 'LowCardinality(String)', 'The chain'),
  amount_usdc: field(Decimal, 'Decimal(18, 6)', 'The price, in USDC'),
  payer: field(z.string(), 'String', 'The paying address'),
  payment_tx: field(z.string(), 'String', 'The transaction of the receipt'),
  standing_tx: field(
    z.string().nullable(),
    'Nullable(String)',
    'The transaction that holds the transfer now',
  ),
}

export type TakenBack = RowOf<typeof takenFields>

export const takenBackNow = latest<TakenBack>({
  name: 'taken_back_now',
  about: 'What has become of each payment that its chain took back after the sale',
  key: ['spend_id'],
  newest: ['at'],
  held: true,
  required: false,
})

const receiptsFinal = latest<TakenBack>({
  name: 'receipts_final',
  about: 'The receipts, with what their chain says of each today: settled, safe, final, taken back or lost',
  key: ['spend_id'],
  newest: ['at'],
  required: false,
  sql: rows => `
    select r.at as at, r.request_id as request_id, r.tool as tool, r.network as network, r.price_usdc as price_usdc,
      r.payer as payer, r.payment_tx as payment_tx, r.spend_id as spend_id, t.standing_tx as standing_tx,
      multiIf(
        t.state in ('taken_back', 'lost'), t.state,
        f.through >= if(t.state = 'settled_again', t.at, r.at) and r.at >= f.since, 'final',
        ifNull(f.safe_through >= if(t.state = 'settled_again', t.at, r.at), false) and r.at >= f.since, 'safe',
        'settled'
      ) as finality
    from receipts r
    left join (select network, since, through, safe_through from finality_now) f on f.network = r.network
    left join (select spend_id, toString(state) as state, at, standing_tx from ${rows}) t on t.spend_id = r.spend_id`,
  columns: {
    at: 'When it was settled',
    tool: 'What was bought',
    price_usdc: 'What was paid, in USDC',
    finality:
      'final: no reorganisation takes it back (on EVM it is behind the finalized head, on Solana finalized); safe: on EVM it is behind the safe head, on Solana confirmed; settled: included and no more yet, or sold before sales were followed; taken_back: its chain shows it no more; lost: it never will',
  },
})

export const takenBack = defineDataset({
  name: 'taken_back',
  about: 'Payments that a reorganisation of their chain took back after the sale, and what became of them',
  fields: takenFields,
  key: ['spend_id'],
  identity: ['spend_id', 'state'],
  views: [takenBackNow, receiptsFinal],
})
