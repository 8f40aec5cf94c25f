/** The Sink moves one topic into one table. */
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { instant } from '../../schemas/values/values.ts'
import { type Entry, entryOf, type Log, type Received } from '../rails/log/log.ts'
import { Order } from '../rails/log/order.ts'
import { metrics } from '../rails/metrics.ts'
import type { Running } from '../rails/running.ts'
import type { Store, StoreAway, Versioned } from '../rails/store/store.ts'
import { beginSpan } from '../rails/tracing/tracing.ts'
import { insertFitting, insist, NewerEvent, type RefusedRow, sorted } from './insertion.ts'
import type { Worker } from './worker.ts'

interface SinkOptions {
  log: Pick<Log, 'follow' | 'append'>
  store: Pick<Store, 'insert' | 'newest'>
  dataset: Dataset
  now: () => number
  onProblem: (error: unknown) => void
}

export const sinkOf = (dataset: Dataset): Worker => ({
  part: 'sink',
  name: dataset.name,
  role: 'sink',
  follows: { topic: dataset.topic, group: 'sink' },
  writes: [rejects],
  open: async ({ log, store, now, onFailed }) =>
    startSink({ log, store: await store(), dataset, now, onProblem: error => onFailed(dataset.name, error) }),
})

/** The part of a refused event that its reject keeps. JSON may make it longer, and it must fit into a record. */
const keptCharacters = 100_000

export async function startSink({ log, store, dataset, now, onProblem }: SinkOptions): Promise<Running> {
  const closing = new AbortController()
  const order = new Order()

  const following = await log.follow(dataset.topic, 'sink', async batch => {
    for (const { partition } of batch)
      if (!order.knows(partition)) order.begin(partition, await newestStored())
    const { rows, refused } = await known(() => sorted(dataset, batch, order))
    // 1 Insert. After a crash from here on, the batch comes again, and identity removes the duplicates.
    const spans = spansOf(batch)
    refused.push(...(await insertFitting(rows, { insert, onRetry, signal: closing.signal })))
    for (const span of spans) span?.end()
    // 2 Write the rejects, so that operators find what could not be stored before the topic moves on.
    if (refused.length) await reject(refused)
    // 3 Commit. The log does this when the function resolves.
  })

  /** A newer version reads the batch when it has the place of this process. Until then nothing of it is committed. */
  async function known<T>(sort: () => T): Promise<T> {
    try {
      return sort()
    } catch (error) {
      if (!(error instanceof NewerEvent)) throw error
      metrics.newerEvents.inc({ topic: dataset.topic.name })
      onProblem(error)
      await new Promise(resolve => closing.signal.addEventListener('abort', resolve, { once: true }))
      throw error
    }
  }

  /** The clock of this log may be behind that of the log which has told of the rows in the store. */
  async function newestStored(): Promise<bigint> {
    return insist({ onRetry, signal: closing.signal }, () => store.newest(dataset))
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

/** The traces of sales end when their facts are in the store. */
const spansOf = (batch: readonly Received[]) =>
  batch.flatMap(({ topic, traceparent }) =>
    traceparent === undefined ? [] : [beginSpan(`store ${topic}`, { kind: 'consumer', from: traceparent })],
  )

function entry({ record, nth, reason, text }: RefusedRow, at: string): Entry {
  const place = [record.partition, record.offset, ...(nth === undefined ? [] : [nth])].join('/')
  const event = { topic: record.topic, place, at, reason, event: text.slice(0, keptCharacters) }
  return entryOf(rejects, event)
}
