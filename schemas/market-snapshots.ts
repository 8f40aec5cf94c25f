/**
 * The passes over the catalog that ended well. The catalog changed during any other pass, so its rows do not fit
 * together.
 */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, IsoDate, Sha256 } from './values/values.ts'

const rows = z.int().min(0)

const fields = {
  snapshot: field(Instant, "DateTime64(3, 'UTC')", 'When the pass began'),
  day: field(IsoDate, 'Date', 'The day of the snapshot, UTC'),
  source: field(z.string().min(1), 'LowCardinality(String)', 'The catalog: cdp'),
  ended_at: field(Instant, "DateTime64(3, 'UTC')", 'When its last page was read'),
  total_first: field(rows, 'UInt32', 'The number of rows that the catalog stated on the first page'),
  total_last: field(rows, 'UInt32', 'The number of rows that it stated on the last page'),
  items: field(rows, 'UInt32', 'Items that were read'),
  rated: field(rows, 'UInt32', 'Items with the usage numbers of the catalog'),
  unread: field(rows, 'UInt32', 'Items that are no resource'),
  pages_sha256: field(
    Sha256,
    'FixedString(64)',
    'A hash over the rows in their order; the same catalog gives the same hash',
  ),
}

export type MarketSnapshot = RowOf<typeof fields>

export const marketSnapshots = defineDataset({
  name: 'market_snapshots',
  about: 'Complete passes over the catalog of x402 sellers',
  fields,
  key: ['source'],
  identity: ['source', 'snapshot'],
})
