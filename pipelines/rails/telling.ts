/** Tells counts of a process to the log, each minute and once at the end. */
import type { Dataset, Fields, RowOf } from '../../schemas/dataset/dataset.ts'
import { packed } from '../../schemas/dataset/packed-events.ts'
import type { Log } from './log/log.ts'
import type { Running } from './running.ts'

const minuteMs = 60_000
/** Whoever sets a service up sees its first calls soon. */
const soonMs = 5_000
/** While the log takes nothing, what was counted is kept, and dropped from the oldest on. */
const mostKept = 50_000

/** What was counted since the last time, as rows of one telling. */
interface Counts<Row> {
  take(): Row[]
}

interface TellingNeeds {
  log: Pick<Log, 'append'>
  now: () => number
  onFailed(error: unknown): void
  firstMs?: number
}

/** A process that is killed loses the counts of a minute. They are no money, so no call waits for them. */
export function telling<F extends Fields>(
  dataset: Dataset<F>,
  counts: Counts<RowOf<F>>,
  { log, now, onFailed, firstMs = soonMs }: TellingNeeds,
): Running {
  let kept: RowOf<F>[] = []
  let under: Promise<void> = Promise.resolve()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()

  async function tell(): Promise<void> {
    kept = [...kept, ...counts.take()].slice(-mostKept)
    const told = kept
    if (told.length === 0) return
    const key = dataset.keyOf(told[0] as RowOf<F>)
    try {
      await log.append(
        dataset.topic,
        packed(dataset, told).map(value => ({ key, value })),
      )
      kept = []
    } catch (error) {
      // Told again with its place, so that what the log has taken after all counts once.
      onFailed(error)
    }
  }
  function next(): void {
    under = under.then(tell)
    timer = setTimeout(next, minuteMs - (now() % minuteMs))
  }
  let timer = setTimeout(next, firstMs)

  return {
    ended,
    async close() {
      clearTimeout(timer)
      await under
      await tell()
      end()
    },
  }
}
