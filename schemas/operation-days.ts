/** What each operation has brought and cost on a day: rolled up from sales, refunds, transactions and calls, and kept for ever. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Decimal, Instant, IsoDate } from './values/values.ts'

const word = 'LowCardinality(String)'
const number = (about: string) => field(z.int().min(0), 'UInt64', about)
const usdc = (about: string) => field(Decimal, 'Decimal(38, 6)', about)
const dollars = (about: string) => field(Decimal, 'Decimal(38, 9)', about)

const fields = {
  day: field(IsoDate, 'Date', 'The UTC day'),
  origin: field(z.string(), word, 'The origin; empty for what no operation has caused'),
  operation: field(z.string(), word, 'The operation, as in settlements; likewise'),
  network: field(
    z.enum([...receiptNetworks, 'none']),
    word,
    'Where it was paid; none: calls of upstreams and nodes, which belong to no chain of payment',
  ),
  sales: number('Sales that stand, without those to our canary'),
  revenue_usdc: usdc('Their sum'),
  refunds: number('Refunds that were paid on this day'),
  refunded_usdc: usdc('Their sum'),
  own_settled: number('Sales that a key of ours has settled, those to our canary among them'),
  gas_coins: field(
    Decimal,
    'Decimal(38, 18)',
    'What that has cost, and the transactions of the refunds, in coins of the chain',
  ),
  gas_usd: dollars('The same at the price of a coin that the operator names in COSTS'),
  others_settled: number('Sales that a facilitator has settled, those to our canary among them'),
  facilitator_usd: dollars('What facilitators charge for them, by the rule in COSTS'),
  calls: number('Requests to upstreams and nodes for it'),
  calls_usd: dollars('What they cost, at the prices in COSTS'),
  unpriced: number(
    'Sales settled by ourselves whose coin has no price, and requests to hosts that COSTS does not name: they count as nothing',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When this was found'),
}

export type OperationDay = RowOf<typeof fields>

const key = ['day', 'origin', 'operation', 'network'] as const

const margins = latest<OperationDay>({
  name: 'operation_margins',
  about: 'What each operation has brought and cost, by day, and what is left',
  key,
  required: false,
  sql: rows => `
    select day, origin, operation, sum(d.sales) as sales, sum(d.revenue_usdc) as revenue_usdc, sum(d.refunded_usdc) as refunded_usdc, sum(d.gas_usd) as gas_usd,
      sum(d.facilitator_usd) as facilitator_usd, sum(d.calls) as calls, sum(d.calls_usd) as calls_usd, sum(d.unpriced) as unpriced,
      gas_usd + facilitator_usd + calls_usd + refunded_usdc as costs_usd, revenue_usdc - costs_usd as margin_usd
    from ${rows} as d group by day, origin, operation`,
  columns: {
    sales: 'Sales that stand, without those to our canary',
    costs_usd: 'Gas, fees, calls and refunds together',
    margin_usd: 'Revenue without the costs; a USDC counts as one dollar',
  },
})

export const operationDays = defineDataset({
  name: 'operation_days',
  about: 'What each operation has brought and cost on a day, by network of payment',
  fields,
  key,
  identity: key,
  views: [margins],
})
