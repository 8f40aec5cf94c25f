/** Where the chains and our sales say different things. Each is told when it is found, and when it is over. */
import { z } from 'zod'
import { chainNetwork, paymentMethod } from './chain-payments.ts'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Decimal, Instant, IsoDate } from './values/values.ts'

const word = 'LowCardinality(String)'
const moment = "DateTime64(3, 'UTC')"

const differenceKind = z.enum(['no_transfer', 'no_sale', 'amount', 'no_refund'])

const fields = {
  network: field(chainNetwork, word, 'The chain, as in chain_payments'),
  kind: field(
    differenceKind,
    word,
    'no_transfer: a sale of ours, and the final blocks hold no transfer of it; no_sale: a transfer to a wallet of ours that no sale explains; amount: both are there, over different amounts; no_refund: a refund that we call paid, and the final blocks hold no transfer of it',
  ),
  day: field(IsoDate, 'Date', 'The day in the books that it belongs to'),
  tx: field(z.string(), 'String', 'The transaction'),
  payer: field(z.string(), 'String', 'Who sent it, or should have'),
  pay_to: field(z.string(), 'String', 'Who received it, or should have'),
  chain_usdc: field(Decimal, 'Decimal(38, 6)', 'What the chain moved; 0: nothing'),
  books_usdc: field(Decimal, 'Decimal(38, 6)', 'What our facts say was moved; 0: they say nothing'),
  times: field(z.int().min(0), 'UInt32', 'How many such, of equal amounts in one transaction'),
  method: field(
    paymentMethod.nullable(),
    'LowCardinality(Nullable(String))',
    'The form of the transfer, as in chain_payments; null where there is none',
  ),
  request_id: field(
    z.string().nullable(),
    'Nullable(String)',
    'The request of the sale or refund; null: there is none',
  ),
  moved_at: field(
    Instant,
    moment,
    'The time of the block; where there is none, of the sale or refund by our clock',
  ),
  state: field(z.enum(['open', 'over']), word, 'open: it differs; over: it does not differ any more'),
  at: field(Instant, moment, 'When this was found'),
}

export type BookDifference = RowOf<typeof fields>

/** What makes a difference the same one when it is looked at again. */
export const differenceKey = ['network', 'kind', 'tx', 'payer', 'pay_to', 'chain_usdc', 'books_usdc'] as const

const open = latest<BookDifference>({
  name: 'book_differences_open',
  about: 'What differs now between the chains and our sales, named with sender and amount',
  key: differenceKey,
  required: false,
  sql: rows => `select * from ${rows} where state = 'open'`,
})

export const bookDifferences = defineDataset({
  name: 'book_differences',
  about: 'Transfers without a sale, sales and refunds without a transfer, and amounts that differ',
  fields,
  key: differenceKey,
  identity: differenceKey,
  views: [open],
})
