/** Prices of tokens on chains, each from a read for a caller. The caller is not recorded. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { chainNames } from './tables/chains.ts'
import { Instant } from './values/values.ts'

const word = 'LowCardinality(String)'
/** Tokens are worth from 10⁻²⁴ dollars to billions. */
const Dollars = z
  .string()
  .regex(
    /^\d{1,30}(\.\d{1,45})?$/,
    'dollars as decimal text, at most 30 digits before the point and 45 after',
  )

const fields = {
  chain: field(z.enum(chainNames), word, 'The chain'),
  token: field(z.string().min(1), 'String', 'Contract or mint'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it was read'),
  block: field(z.int().min(0), 'UInt64', 'The height, on Solana the slot, that it was read at'),
  symbol: field(z.string().nullable(), 'Nullable(String)', 'As the token calls itself, cleaned'),
  price_usd: field(Dollars, 'Decimal(76, 45)', 'The mid price of the deepest pool'),
  depth_usd: field(Dollars, 'Decimal(76, 45)', 'What the pool pays out while its price falls by 2 %'),
  pool: field(z.string().min(1), 'String', 'The deepest pool'),
  pool_kind: field(z.string(), word, 'Its kind'),
  quote: field(z.string(), word, 'The token that the pool is priced in'),
  pools_seen: field(z.int().min(0), 'UInt16', 'Pools of the token that had liquidity'),
}

export type TokenPrice = RowOf<typeof fields>

export const tokenPrices = defineDataset({
  name: 'token_prices',
  about: 'Prices of tokens on chains from their deepest pools, each as it was read for a caller',
  fields,
  key: ['chain', 'token'],
  identity: ['chain', 'token', 'block'],
  checks: [
    {
      name: 'range',
      about: 'a price and a depth are above 0',
      wrong: 'select token, block from token_prices where price_usd <= 0 or depth_usd <= 0',
    },
  ],
})
