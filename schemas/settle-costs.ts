/** What the chains took for settling by ourselves, a transaction each. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Decimal, Instant } from './values/values.ts'

const word = 'LowCardinality(String)'
const coins = (about: string) => field(Decimal, 'Decimal(38, 18)', about)

const fields = {
  network: field(z.enum(receiptNetworks), word, 'The chain, as in settlements'),
  tx: field(z.string().min(1), 'String', 'The transaction'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When the chain showed it to us'),
  key: field(z.string(), word, 'The address that paid for it'),
  transfers: field(
    z.int().min(0),
    'UInt32',
    'How many payments it moved. 0: none, and it was paid for all the same',
  ),
  gas: field(z.int().min(0).nullable(), 'Nullable(UInt64)', 'The gas that it used; null on Solana'),
  coins: coins('What it cost in coins of the chain'),
  coins_below: coins('What of it went to the layer below, for its data'),
}

export type SettleCost = RowOf<typeof fields>

/** The transactions of a day are some hundred thousand at most, and those of the sales beside them. */
const saleCosts = latest<SettleCost>({
  name: 'sale_costs',
  about: 'What settling each sale by ourselves has cost: its share of its transaction',
  key: ['network', 'tx'],
  required: false,
  sql: rows => `
    select r.at as at, r.request_id as request_id, r.tool as tool, r.network as network, r.price_usdc as price_usdc, r.spend_id as spend_id, c.tx as tx, c.key as key,
      c.transfers as transfers, divideDecimal(c.coins, toDecimal128(c.transfers, 0), 18) as coins
    from (select *, if(startsWith(ifNull(payment_tx, ''), '0x'), lower(payment_tx), ifNull(payment_tx, '')) as paid_in from receipts) as r
    inner join (select * from ${rows} where transfers > 0) as c on c.network = r.network and c.tx = r.paid_in`,
  columns: {
    at: 'When it was settled',
    request_id: 'The call, as its receipt names it',
    tool: 'What was bought',
    network: 'Where it was paid',
    price_usdc: 'What was paid, in USDC',
    spend_id: 'The payment: one purchase',
    tx: 'The transaction',
    key: 'The address that paid for it',
    transfers: 'How many payments the transaction moved',
    coins: 'The share of this sale in what it cost, in coins of the chain',
  },
})

export const settleCosts = defineDataset({
  name: 'settle_costs',
  about: 'What the chains took for settling by ourselves, by transaction',
  fields,
  key: ['network', 'tx'],
  identity: ['network', 'tx'],
  views: [saleCosts],
})
