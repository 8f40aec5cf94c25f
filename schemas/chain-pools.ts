/** Pools that factories created on chain, each from the log of its factory. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { chainNames } from './tables/chains.ts'
import { Instant } from './values/values.ts'

const word = 'LowCardinality(String)'
const address = z.string().min(1)

const fields = {
  chain: field(z.enum(chainNames), word, 'The chain'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'The time of the block'),
  block: field(z.int().min(0), 'UInt64', 'The block, which is final'),
  tx: field(z.string(), 'String', 'The transaction'),
  factory: field(address, word, 'The factory, in lower case like all addresses here'),
  kind: field(
    z.string(),
    word,
    'uniswap_v2, uniswap_v3, uniswap_v4, solidly_volatile, solidly_stable, slipstream',
  ),
  pool: field(address, 'String', 'The pool; of Uniswap v4 its id'),
  token0: field(
    address,
    'String',
    'The token with the lower address; in Uniswap v4 the zero address is the native coin',
  ),
  token1: field(address, 'String', 'The other'),
  fee: field(z.int().min(0).nullable(), 'Nullable(UInt32)', 'In millionths; null: the log does not tell'),
  tick_spacing: field(z.int().nullable(), 'Nullable(Int32)', 'Of pools of concentrated liquidity'),
  hooks: field(
    z.string().nullable(),
    'Nullable(String)',
    'Of Uniswap v4: a contract that may change any swap; null: none',
  ),
}

export type ChainPool = RowOf<typeof fields>

export const chainPools = defineDataset({
  name: 'chain_pools',
  about:
    'Pools of two tokens that the factories we know created on the EVM chains that we sell on, from a day before the first start',
  fields,
  key: ['chain', 'pool'],
  identity: ['chain', 'pool'],
})
