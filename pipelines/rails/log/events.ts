/** Reads events from records. A record without an event stops no reader: the reader skips it, and the sink reports it. */
import { type Dataset, type Fields, type RowOf, readEvent } from '../../../schemas/dataset/dataset.ts'
import { metrics } from '../metrics.ts'
import type { Log, Received } from './log.ts'
import { Newest } from './order.ts'

type Stored = Pick<Received, 'key' | 'value'>

/** Reads one record as far as this version knows its columns, and counts an event of a newer one. */
export function readRecord<F extends Fields>(
  dataset: Dataset<F>,
  { value }: Pick<Received, 'value'>,
): { event?: RowOf<F> | undefined; reason?: string | undefined } {
  if (value === null) return {}
  const { event, newer, reason } = readEvent(dataset, value)
  if (newer?.length) metrics.newerEvents.inc({ topic: dataset.topic.name })
  return { event, reason }
}

export function* eventsIn<F extends Fields, Record extends Stored>(
  dataset: Dataset<F>,
  batch: readonly Record[],
): Generator<{ event: RowOf<F>; record: Record }> {
  for (const record of batch) {
    const { event } = readRecord(dataset, record)
    if (event) yield { event, record }
  }
}

/** Keeps the newest event of each key, and drops withdrawn keys. */
export function keepNewest<F extends Fields>(
  rows: Map<string, RowOf<F>>,
  dataset: Dataset<F>,
  batch: readonly Received[],
  newest: Newest,
): void {
  for (const record of batch) {
    if (!newest.takes(record)) continue
    const { event } = readRecord(dataset, record)
    if (event) rows.set(record.key, event)
    else if (record.value === null) rows.delete(record.key)
  }
}

/** The first event of a topic that is the one sought. Each record that lacks these words is passed over unread. */
export async function firstIn<F extends Fields>(
  log: Pick<Log, 'watch'>,
  dataset: Dataset<F>,
  words: string,
  isSought: (event: RowOf<F>) => boolean,
): Promise<RowOf<F> | undefined> {
  let first: RowOf<F> | undefined
  const watching = await log.watch(dataset.topic, batch => {
    if (first) return
    const having = batch.filter(({ value }) => value?.includes(words))
    for (const { event } of eventsIn(dataset, having)) if (isSought(event)) first ??= event
  })
  await watching.caughtUp
  await watching.close()
  return first
}

/** The topic of a dataset as it is now: the newest event of each key. */
export async function newestNow<F extends Fields>(
  log: Pick<Log, 'watch'>,
  dataset: Dataset<F>,
): Promise<Map<string, RowOf<F>>> {
  const rows = new Map<string, RowOf<F>>()
  const newest = new Newest()
  const watching = await log.watch(dataset.topic, batch => keepNewest(rows, dataset, batch, newest))
  await watching.caughtUp
  await watching.close()
  return rows
}
