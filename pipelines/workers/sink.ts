/** The Sink moves one topic into one table. */
import { setImmediate as others } from 'node:timers/promises'
import type { z } from 'zod'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { datasetSchemas } from '../../schemas/dataset-schemas.ts'
import { keptOf, rejects } from '../../schemas/rejects.ts'
import { instant } from '../../schemas/values/values.ts'
import { type Entry, entryOf, type Log, type Received } from '../rails/log/log.ts'
import { Order } from '../rails/log/order.ts'
import { newerSchemas } from '../rails/log/schema-book.ts'
import { metrics } from '../rails/metrics.ts'
import type { Running } from '../rails/running.ts'
import type { Store, StoreAway, Versioned } from '../rails/store/store.ts'
import { beginSpan } from '../rails/tracing/tracing.ts'
import { Gathering } from './gathering.ts'
import { type InsertedRow, insertFitting, insist, type RefusedRow, sorted } from './insertion.ts'
import { leftToNewer, type NewerEvent, refuseTheirs } from './newer-event.ts'
import type { Worker } from './worker.ts'

/** The store takes half the time for a row if an insert has some thousands. */
const most = { records: 8000, bytes: 4 << 20 }
/** So many records are read before others have their turn in this process: a seller may be one of them. */
const atOnce = 1000

interface SinkOptions {
  log: Pick<Log, 'follow' | 'append'>
  store: Pick<Store, 'insert' | 'newest'>
  dataset: Dataset
  now: () => number
  onProblem: (error: unknown) => void
  /** The checks of newer versions that have written to this log. */
  newer?: () => Promise<readonly z.ZodType[]>
}

export const sinkOf = (dataset: Dataset): Worker => ({
  part: 'sink',
  name: dataset.name,
  role: 'sink',
  follows: { topic: dataset.topic, group: 'sink' },
  reads: [datasetSchemas],
  writes: [rejects],
  open: async ({ log, store, now, onFailed }) =>
    startSink({
      ...{ log, store: await store(), dataset, now },
      onProblem: error => onFailed(dataset.name, error),
      newer: () => newerSchemas(log, dataset),
    }),
})

export async function startSink(options: SinkOptions): Promise<Running> {
  const { log, store, dataset, now, onProblem, newer = async () => [] } = options
  const closing = new AbortController()
  const order = new Order()
  const gathering = new Gathering(closing.signal)
  const into = { insert, onRetry, signal: closing.signal }

  const handle = async (batch: readonly Received[]) => {
    await gathering.before(batch)
    // The clock of this log may be behind that of the log which has told of the rows in the store.
    for (const { partition } of batch)
      if (!order.knows(partition)) order.begin(partition, await insist(into, () => store.newest(dataset)))
    const { rows, refused } = await leftToNewer(() => known(batch), { onNewer, signal: closing.signal })
    // 1 Insert. After a crash from here on, the batch comes again, and identity removes the duplicates.
    const spans = spansOf(batch)
    refused.push(...(await insertFitting(rows, into)))
    for (const span of spans) span?.end()
    // 2 Write the rejects, so that operators find what could not be stored before the topic moves on.
    if (refused.length) await reject(refused)
    // 3 Commit. The log does this when the function resolves.
  }

  async function known(batch: readonly Received[]) {
    const found = await inTurns(dataset, batch, order)
    await refuseTheirs(dataset, found.refused, newer)
    return found
  }

  function onNewer(error: NewerEvent): void {
    metrics.newerEvents.inc({ topic: dataset.topic.name })
    onProblem(error)
  }

  async function insert(rows: readonly Versioned[]): Promise<void> {
    await store.insert(dataset, rows)
    metrics.sunk.inc({ table: dataset.name }, rows.length)
  }

  function onRetry(error: StoreAway): void {
    metrics.sinkRetries.inc({ table: dataset.name })
    onProblem(error)
  }

  async function reject(refused: readonly RefusedRow[]): Promise<void> {
    metrics.sinkRejects.inc({ topic: dataset.topic.name }, refused.length)
    onProblem(
      new Error(`${dataset.topic.name}: ${refused.length} refused, the first because ${refused[0]?.reason}`),
    )
    // A reject that cannot be stored would be rejected for ever.
    if (dataset.name === rejects.name) return
    const at = instant(now())
    await log.append(
      rejects.topic,
      refused.map(one => entry(one, at)),
    )
  }

  const following = await log.follow(dataset.topic, 'sink', handle, { most })
  return {
    ended: following.ended.catch(error => {
      if (!closing.signal.aborted) throw error
    }),
    close: async () => {
      closing.abort()
      await following.close()
    },
  }
}

async function inTurns(dataset: Dataset, batch: readonly Received[], order: Order) {
  const [rows, refused]: [InsertedRow[], RefusedRow[]] = [[], []]
  for (let from = 0; from < batch.length; from += atOnce) {
    if (from > 0) await others()
    const found = sorted(dataset, batch.slice(from, from + atOnce), order)
    for (const row of found.rows) rows.push(row)
    for (const row of found.refused) refused.push(row)
  }
  return { rows, refused }
}

/** The traces of sales end when their facts are in the store. */
const spansOf = (batch: readonly Received[]) =>
  batch.flatMap(({ topic, traceparent }) =>
    traceparent === undefined ? [] : [beginSpan(`store ${topic}`, { kind: 'consumer', from: traceparent })],
  )

function entry({ record, nth, reason, text }: RefusedRow, at: string): Entry {
  const place = [record.partition, record.offset, ...(nth === undefined ? [] : [nth])].join('/')
  const event = { topic: record.topic, place, at, reason, event: keptOf(text) }
  return entryOf(rejects, event)
}
