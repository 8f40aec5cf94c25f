/** Reads events from records. A record without an event stops no reader: the reader skips it, and the sink reports it. */
import { type Dataset, type Fields, type RowOf, readEvent } from '../../../schemas/dataset/dataset.ts'
import type { Log, Received } from './log.ts'

type Stored = Pick<Received, 'key' | 'value'>

export function* eventsIn<F extends Fields, Record extends Stored>(
  dataset: Dataset<F>,
  batch: readonly Record[],
): Generator<{ event: RowOf<F>; record: Record }> {
  for (const record of batch) {
    const { event } = record.value === null ? {} : readEvent(dataset, record.value)
    if (event) yield { event, record }
  }
}

/** Keeps the newest event of each key, and drops withdrawn keys. */
export function keepNewest<F extends Fields>(
  rows: Map<string, RowOf<F>>,
  dataset: Dataset<F>,
  batch: readonly Stored[],
): void {
  for (const { key, value } of batch)
    if (value === null) rows.delete(key)
    else {
      const { event } = readEvent(dataset, value)
      if (event) rows.set(key, event)
    }
}

/** The topic of a dataset as it is now: the newest event of each key. */
export async function newestNow<F extends Fields>(
  log: Pick<Log, 'watch'>,
  dataset: Dataset<F>,
): Promise<Map<string, RowOf<F>>> {
  const rows = new Map<string, RowOf<F>>()
  const watching = await log.watch(dataset.topic, batch => keepNewest(rows, dataset, batch))
  await watching.caughtUp
  await watching.close()
  return rows
}
