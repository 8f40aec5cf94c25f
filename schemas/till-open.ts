/** Carries over open promises and undelivered answers while they last, and the place where a start begins to read. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { keys, mostDigits, promised, word } from './till-promises.ts'
import { Instant } from './values/values.ts'

const purchase = z.object({
  spend_id: word,
  request_id: word,
  keys,
  holder: word.nullable(),
  written_at: Instant,
  payment_tx: word.nullable(),
  // Older records have no value.
  payment_position: z.int().min(0).nullable().default(null),
  settled_at: Instant.nullable(),
  delivered: z.boolean(),
  // Older records have no value.
  delivered_at: Instant.nullable().default(null),
  // Older records have no value.
  refused: z.boolean().default(false),
  promised,
})

const fields = {
  place: field(word.min(1), 'String', 'The request of a promise, or checkpoint'),
  position: field(
    word.max(mostDigits).regex(/^\d+$/).nullable(),
    'Nullable(String)',
    'Where in till.promises a start begins to read: what is older is carried here, or matters no more',
  ),
  forgotten: field(
    // Older records have no value.
    Instant.nullable().default(null),
    "Nullable(DateTime64(3, 'UTC'))",
    'With the checkpoint: all payments that were promised before it were dead by then, so one that dies later is known here if it was ever sold',
  ),
  purchase: field(purchase.nullable(), 'Nullable(String)', 'The promise, and its settlement'),
}

export type CarriedPurchase = z.output<typeof purchase>
export type TillOpen = RowOf<typeof fields>

export const tillOpen = defineDataset({
  name: 'till_open',
  about: 'Open promises and undelivered answers that are older than a minute; nobody’s data but the payer’s',
  fields,
  key: ['place'],
  identity: ['place'],
  audience: 'log',
  keep: 'newest',
})
