/** The public catalog of x402 sellers: a row for each listed resource in each snapshot. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, IsoDate } from './values/values.ts'

const word = 'LowCardinality(String)'

/** 18 digits on both sides of the point. A quote that needs more digits is not a price. */
export const PriceUsd = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,18})?$/, 'a price of at most 18 digits before the point and 18 after')

/** Why a row is kept but not counted. */
const junkReason = z.enum([
  'not_http',
  'private_host',
  'reserved_host',
  'tunnel',
  'preview_host',
  'testnet_only',
  'nothing_accepted',
])

const accept = z.strictObject({
  scheme: z.string(),
  network: z.string(),
  asset: z.string(),
  amount: z.string(),
  decimals: z.int().min(0).max(36).nullable(),
  price_usd: PriceUsd.nullable(),
  pay_to: z.string(),
  fee_payer: z.string(),
})
const acceptColumns: Record<keyof z.output<typeof accept>, string> = {
  scheme: word,
  network: word,
  asset: word,
  amount: 'String',
  decimals: 'Nullable(UInt8)',
  price_usd: 'Nullable(Decimal(38, 18))',
  pay_to: 'String',
  fee_payer: word,
}
const acceptColumn = `Array(Tuple(${Object.entries(acceptColumns)
  .map(([name, column]) => `${name} ${column}`)
  .join(', ')}))`

const moment = "Nullable(DateTime64(3, 'UTC'))"
const count = z.int().min(0).nullable()

const fields = {
  snapshot: field(
    Instant,
    "DateTime64(3, 'UTC')",
    'When the pass over the catalog began; it counts only if market_snapshots lists it',
  ),
  day: field(IsoDate, 'Date', 'The day of the snapshot, UTC'),
  source: field(z.string().min(1), word, 'The catalog: cdp'),
  url: field(z.string().max(4096), 'String', 'As listed; the tools of an MCP server share one address'),
  tool: field(z.string(), 'String', 'The tool of an MCP resource; empty otherwise'),
  method: field(z.string(), word, 'HTTP method as listed; empty where the catalog does not say'),
  resource_key: field(
    z.string(),
    'String',
    'The product, whatever form its URL has: host, port and path or template, then #tool, then |METHOD; rows with the same key are one endpoint',
  ),
  host: field(
    z.string(),
    'String',
    'In lower case, as A-labels, without the port; empty where the URL has no host',
  ),
  seller: field(z.string(), 'String', 'The host without a leading www.'),
  type: field(z.enum(['http', 'mcp', 'other']), word, 'What is listed'),
  x402_version: field(z.int().min(0).max(255), 'UInt8', '1 or 2; 0 where the catalog does not say'),
  accepts: field(
    z.array(accept),
    acceptColumn,
    'The payments that it accepts: network as CAIP-2 where known, EVM addresses in lower case, the amount as quoted; decimals and price are null for an unknown asset or a malformed amount; fee_payer is the settlement signer that a Solana quote names',
  ),
  price_usd: field(
    PriceUsd.nullable(),
    'Nullable(Decimal(38, 18))',
    'The lowest exact quote in a stablecoin of a main network; null: no such quote can be read',
  ),
  price_is_max: field(z.boolean(), 'Bool', 'The price is an upper bound: no quote has an exact price'),
  service_name: field(z.string().nullable(), 'Nullable(String)', 'What the seller calls it'),
  description: field(z.string().nullable(), 'Nullable(String)', 'The seller’s own words'),
  tags: field(z.array(z.string()), `Array(${word})`, 'As listed, in the same case'),
  parameters: field(z.array(z.string()), `Array(${word})`, 'The names of its parameters, from its schema'),
  route_template: field(
    z.string().nullable(),
    'Nullable(String)',
    'The template of the path, where it is valid',
  ),
  placeholder: field(
    z.boolean(),
    'Bool',
    'The path holds a placeholder such as :var1, so nobody can pay it as listed',
  ),
  curated: field(z.boolean(), 'Bool', 'The catalog recommends it'),
  calls_30d: field(count, 'Nullable(UInt64)', 'Paid calls in 30 days, as the catalog counts them'),
  payers_30d: field(count, 'Nullable(UInt64)', 'Different payers in 30 days, as the catalog counts them'),
  last_called_at: field(Instant.nullable(), moment, 'The last paid call that the catalog saw'),
  updated_at: field(Instant.nullable(), moment, 'When the catalog last changed the row'),
  junk: field(
    junkReason.nullable(),
    'LowCardinality(Nullable(String))',
    'Why the market leaves the row out: no public address, no main network, nothing to pay',
  ),
}

export type MarketResource = RowOf<typeof fields>
export type Accept = z.output<typeof accept>

export const marketResources = defineDataset({
  name: 'market_resources',
  about: 'The catalog of x402 sellers: every listed resource in every snapshot',
  fields,
  key: ['source', 'url'],
  identity: ['snapshot', 'source', 'url', 'tool', 'method'],
})
