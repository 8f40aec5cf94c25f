/**
 * Sales whose payer has shown that its source has corrected a fact of the answer. Nothing here says what was asked: the payer
 * brought that, and it is not kept.
 */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Instant } from './values/values.ts'

const word = 'LowCardinality(String)'

const fields = {
  network: field(z.enum(receiptNetworks), word, 'The chain of the receipt'),
  payment_tx: field(z.string(), 'String', 'The transaction of the receipt'),
  payer: field(z.string(), 'String', 'The payer of the receipt'),
  operation: field(z.string(), word, 'What was bought'),
  issued_at: field(Instant, "DateTime64(3, 'UTC')", 'When the receipt was signed'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When the payer showed it'),
}

export type SaleCorrected = RowOf<typeof fields>

export const salesCorrected = defineDataset({
  name: 'sales_corrected',
  about: 'Sales whose fact was corrected by its source, as their payers have shown with receipt and question',
  fields,
  key: ['payment_tx'],
  identity: ['network', 'payment_tx', 'payer', 'operation'],
  keep: { ms: 30 * 86_400_000 },
})
