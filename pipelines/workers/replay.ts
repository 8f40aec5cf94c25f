/** Builds the table of a dataset anew from its topic, while the sink writes and analysts read. */
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import type { LogPosition, Received } from '../rails/log/log.ts'
import type { ReadingAlong } from '../rails/log/open-log.ts'
import { Order } from '../rails/log/order.ts'
import type { Store, StoreAway, Versioned } from '../rails/store/store.ts'
import { insertFitting, sorted } from './insertion.ts'

interface ReplayNeeds {
  store: Store
  /** Reads the topic from a position, or from its beginning. */
  read(
    handle: (batch: readonly Received[]) => Promise<void>,
    from: LogPosition | 'beginning',
  ): Promise<ReadingAlong>
  /** `of`: the records that the topic held when the replay began. */
  onProgress(done: { records: number; of: number }): void
  onRetry(error: StoreAway): void
  /** Whether the new table may hold fewer facts than the standing one. */
  fewer: boolean
}

interface Replayed {
  records: number
  /** Records that are not rows. They are in `rejects` since they first came. */
  refused: number
  /** The number of facts in the new table when it took over. */
  facts: number
}

export class FewerFacts extends Error {}

export async function replay(dataset: Dataset, needs: ReplayNeeds): Promise<Replayed> {
  const beside = await needs.store.beside(dataset)
  const done = { records: 0, refused: 0, facts: 0 }
  const next = new Map<number, bigint>()
  const order = new Order()

  /** Reads everything that the topic holds now, from the end of the last pass. */
  async function pass(insert: (rows: readonly Versioned[]) => Promise<void>): Promise<number> {
    const before = done.records
    const failed = new AbortController()
    const into = { insert, onRetry: needs.onRetry, signal: failed.signal }
    const reading = await needs.read(
      async batch => {
        const { rows, refused } = sorted(dataset, batch, order)
        refused.push(...(await insertFitting(rows, into)))
        for (const { partition, offset } of batch) next.set(partition, offset + 1n)
        done.records += batch.length
        done.refused += refused.length
        needs.onProgress({ records: done.records, of })
      },
      next.size === 0 ? 'beginning' : next,
    )
    const of = Math.max(reading.waiting + before, done.records)
    try {
      await Promise.race([reading.caughtUp, reading.ended])
    } finally {
      failed.abort()
      await reading.close().catch(() => {})
    }
    return done.records - before
  }

  try {
    const { standing } = await beside.count()
    // The log no longer has every record of these topics, so the current rows are copied first.
    if (dataset.topic.keep !== 'forever') await beside.copyStanding()
    // The second pass reads the records that came during the first, so that little is missing when the table takes
    // over.
    await pass(beside.insert)
    await pass(beside.insert)
    done.facts = (await beside.count()).beside
    if (done.facts < standing && !needs.fewer)
      throw new FewerFacts(
        `the log gives ${done.facts} facts, and the table holds ${standing}; the table stays as it is`,
      )
    await beside.takeOver()
    // The sink has written these records into the other table.
    await pass(rows => needs.store.insert(dataset, rows))
  } finally {
    await beside.drop()
  }
  return done
}
