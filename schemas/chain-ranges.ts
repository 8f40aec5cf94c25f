/** The blocks that were read, and for which wallets. Blocks without a row here are a gap, not a zero. */
import { z } from 'zod'
import { chainNetwork } from './chain-payments.ts'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const time = "DateTime64(3, 'UTC')"
const count = z.int().min(0)

const fields = {
  network: field(chainNetwork, 'LowCardinality(String)', 'The chain'),
  from_block: field(count, 'UInt64', 'The first block (on Solana: slot) of the range'),
  to_block: field(count, 'UInt64', 'The last one, included'),
  sellers_after: field(
    Instant,
    time,
    'It was read for every wallet that the catalog first named after this snapshot ...',
  ),
  sellers_until: field(Instant, time, '... and no later than this one'),
  from_at: field(Instant, time, 'The time of the first block'),
  to_at: field(Instant, time, 'The time of the last block'),
  wallets: field(count, 'UInt32', 'The number of those wallets'),
  payments: field(count, 'UInt32', 'x402 payments found'),
  plain: field(count, 'UInt32', 'Other transfers found'),
  unread: field(count, 'UInt32', 'Transactions that the node listed but could not return'),
  last_hash: field(z.string(), 'String', 'The hash of the last block; empty on Solana'),
}

export type ChainRange = RowOf<typeof fields>

export const chainRanges = defineDataset({
  name: 'chain_ranges',
  about: 'Ranges of final blocks that were read completely for the wallets of sellers',
  fields,
  key: ['network'],
  identity: ['network', 'from_block', 'to_block', 'sellers_after', 'sellers_until'],
})
