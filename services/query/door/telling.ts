/** Tells the counts of the door to the log, each minute and once at the end. */
import type { Log } from '../../../pipelines/rails/log/log.ts'
import type { Running } from '../../../pipelines/rails/running.ts'
import { packed } from '../../../schemas/dataset/packed-events.ts'
import { type DoorCount, doorCounts } from '../../../schemas/door-counts.ts'
import type { Door } from './door.ts'

const minuteMs = 60_000
/** Whoever sets a service up sees its first calls soon. */
const soonMs = 5_000
/** While the log takes nothing, what was counted is kept, and dropped from the oldest on. */
const mostKept = 50_000

interface TellingNeeds {
  log: Pick<Log, 'append'>
  now: () => number
  onFailed(error: unknown): void
  firstMs?: number
}

/** A process that is killed loses the counts of a minute. They are no money, so no call waits for them. */
export function telling(
  door: Pick<Door, 'take'>,
  { log, now, onFailed, firstMs = soonMs }: TellingNeeds,
): Running {
  let kept: DoorCount[] = []
  let under: Promise<void> = Promise.resolve()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()

  async function tell(): Promise<void> {
    kept = [...kept, ...door.take()].slice(-mostKept)
    const told = kept
    if (told.length === 0) return
    const [{ instance }] = told as [DoorCount]
    try {
      await log.append(
        doorCounts.topic,
        packed(doorCounts, told).map(value => ({ key: instance, value })),
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
