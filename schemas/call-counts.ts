/** Requests to services of others that may cost money, counted by the minute: upstreams, nodes, and what files that sell ask. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const word = 'LowCardinality(String)'
const count = z.int().min(0)

const fields = {
  minute: field(Instant, "DateTime64(3, 'UTC')", 'The start of the minute in which they were counted'),
  instance: field(z.string(), 'String', 'The process: a random name that it has drawn at its start'),
  part: field(count, 'UInt32', 'The how manyth telling of this process'),
  host: field(
    z.string(),
    word,
    'Who was asked: host and port of the address that a variable or a file names',
  ),
  origin: field(z.string(), word, 'For whose sale it was asked; empty where no caller waited for it'),
  operation: field(z.string(), word, 'Likewise, as in settlements'),
  calls: field(count, 'UInt32', 'How many requests, whatever came back'),
}

export type CallCount = RowOf<typeof fields>

const identity = ['minute', 'instance', 'part', 'host', 'origin', 'operation'] as const

export const callCounts = defineDataset({
  name: 'call_counts',
  about:
    'Requests to upstreams and nodes, counted by the minute. A process that is killed loses the counts of its last minute',
  fields,
  key: ['instance'],
  identity,
  views: [
    latest<CallCount>({
      name: 'calls_by_day',
      about: 'Requests to upstreams and nodes, by day, host and operation',
      key: identity,
      required: false,
      sql: rows => `
        select toDate(minute) as day, host, origin, operation, sum(calls) as calls from ${rows} group by day, host, origin, operation`,
      columns: { day: 'The UTC day', calls: 'How many requests' },
    }),
  ],
  packed: true,
  keep: { ms: 30 * 24 * 3_600_000 },
  table: { partitionBy: 'toYYYYMM(minute)', expires: { after: 'minute', days: 400 } },
})
