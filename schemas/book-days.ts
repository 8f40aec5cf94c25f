/**
 * What each wallet of ours received on a day, beside what its sales say. A day is closed when its blocks are final, read without a
 * gap, and nothing differs.
 */
import { z } from 'zod'
import { chainNetwork } from './chain-payments.ts'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Decimal, Instant, IsoDate } from './values/values.ts'

const word = 'LowCardinality(String)'
const moment = "DateTime64(3, 'UTC')"
const count = z.int().min(0)
const usdc = (about: string) => field(Decimal, 'Decimal(38, 6)', about)
const number = (about: string) => field(count, 'UInt64', about)

const dayState = z.enum(['open', 'differs', 'closed'])

const fields = {
  network: field(chainNetwork, word, 'The chain, as in chain_payments'),
  pay_to: field(z.string(), 'String', 'The wallet, an EVM address in lower case'),
  day: field(
    IsoDate,
    'Date',
    'The UTC day of the blocks; of what stands in no block, the day on which it was sold',
  ),
  state: field(
    dayState,
    word,
    'open: its blocks are not final or not all read, or something of it is too young to be judged; differs: it could be closed, but something differs; closed: every transfer has its sale and every sale its transfer, to the atom, but for dust and what was signed off, and nothing changes it any more',
  ),
  through: field(Instant, moment, 'Up to here the final blocks were read without a gap'),
  transfers: number('Transfers to the wallet, of any form'),
  received_usdc: usdc('Their sum'),
  sales: number('Sales that were paid to it'),
  sold_usdc: usdc('Their sum'),
  matched: number('Transfers that have their sale'),
  matched_usdc: usdc('Their sum'),
  canary: number('Sales to a canary of ours, among the sales: no revenue'),
  canary_usdc: usdc('Their sum'),
  reversed: number(
    'Sales that moved nothing after all, and are not among the sales: taken back by a reorganisation for good, or denied by the chain',
  ),
  reversed_usdc: usdc('Their sum'),
  refunds: number('Refunds that left on this day, of sales on this network'),
  refunded_usdc: usdc('Their sum'),
  differences: number('Differences that stand: `book_differences_open` names each'),
  // Older rows have none of these.
  explained: field(
    count.default(0),
    'UInt64',
    'Differences that an operator has signed off, and that are not among the differences: `book_differences_explained` names each',
  ),
  dust: field(
    count.default(0),
    'UInt64',
    'Transfers without a sale that are too small for any: below a tenth of a cent, and below every price paid around this day. They keep no day from closing',
  ),
  dust_usdc: field(Decimal.default('0'), 'Decimal(38, 6)', 'Their sum'),
  waiting: number('Transfers and sales without their other side that are too young to be judged'),
  since: field(
    Instant,
    moment,
    'The books of this wallet begin here: with its first sale, but no more than a month before they were begun',
  ),
  begun_at: field(Instant, moment, 'When they were begun'),
  at: field(Instant, moment, 'When this was found'),
}

export type BookDay = RowOf<typeof fields>

const booksClosed = latest<BookDay>({
  name: 'books_closed',
  about: 'A row per day and network: whether the books of that day are closed, and what they hold',
  key: ['network', 'pay_to', 'day'],
  required: false,
  sql: rows => `
    select day, network, min(state = 'closed') as closed, sum(transfers) as transfers, sum(received_usdc) as received_usdc,
      sum(sales) as sales, sum(sold_usdc) as sold_usdc, sum(canary_usdc) as canary_usdc, sum(reversed_usdc) as reversed_usdc,
      sum(refunded_usdc) as refunded_usdc, sum(differences) as differences, sum(explained) as explained, sum(dust_usdc) as dust_usdc, sum(waiting) as waiting, min(through) as through
    from ${rows} group by day, network`,
  columns: { closed: '1 where the day is closed for every wallet of the network' },
})

export const bookDays = defineDataset({
  name: 'book_days',
  about: 'What each wallet of ours received on a day, compared to the atom with its sales and refunds',
  fields,
  key: ['network', 'pay_to', 'day'],
  identity: ['network', 'pay_to', 'day'],
  views: [booksClosed],
  checks: [
    {
      name: 'closed',
      about: 'on a closed day what came in is what was sold, but for dust and what was signed off',
      wrong: `select day from book_days where state = 'closed' and explained = 0 and (received_usdc - dust_usdc <> sold_usdc or matched <> sales)`,
    },
  ],
})
