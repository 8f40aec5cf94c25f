/** Every poll of a source is a fact too. From these facts a query process learns whether its views are up to date. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const fields = {
  source: field(z.string().min(1), 'LowCardinality(String)', 'The source that was polled'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When the poll ended'),
  outcome: field(
    z.enum(['changed', 'unchanged', 'failed']),
    'LowCardinality(String)',
    'changed: it brought new events; unchanged: it was good and brought nothing new; failed: the upstream failed',
  ),
  events: field(z.int().min(0), 'UInt32', 'Events that the poll brought'),
  took_ms: field(z.int().min(0), 'UInt32', 'How long it took'),
  error: field(
    z.string().nullable(),
    'Nullable(String)',
    'Why it failed, or which feed a good poll went without, and why',
  ),
  good_at: field(
    Instant.nullable(),
    "Nullable(DateTime64(3, 'UTC'))",
    'The time of the last good poll, including this one',
  ),
  cursor: field(z.string(), 'String', 'Where the next poll continues (JSON)'),
}

export type SourceTick = RowOf<typeof fields>

export const sourceNow = latest<SourceTick>({
  name: 'source_now',
  about: 'The last poll of each source',
  key: ['source'],
  held: true,
})

export const sourceTicks = defineDataset({
  name: 'source_ticks',
  about: 'Every poll of every source, changed or not',
  fields,
  key: ['source'],
  identity: ['source', 'at'],
  table: { expires: { after: 'at', days: 400 } },
  views: [sourceNow],
  checks: [
    {
      name: 'range',
      about: 'no poll is of the future',
      wrong: `select source, at from source_ticks where at > now() + interval 1 hour`,
    },
  ],
})
