/** The clock of the market: soon after a snapshot of the catalog is complete, it builds a release from it. */
import { marketSnapshots } from '../../../schemas/market-snapshots.ts'
import { marketBuilds, marketEndpoints, marketReleases, marketWeeks } from '../../../schemas/market-weeks.ts'
import { buildMarket } from '../../domains/market/build.ts'
import { tick } from '../../rails/clock.ts'
import { NotReady } from '../../rails/failures.ts'
import type { Log } from '../../rails/log/log.ts'
import type { Running } from '../../rails/running.ts'
import type { Store } from '../../rails/store/store.ts'
import type { Worker } from '../worker.ts'

interface WeeklyOptions {
  log: Log
  store: () => Promise<Store>
  now: () => number
  onFailed(error: unknown): void
  /** Is called with the reasons why a build did not go on sale. */
  onHeldBack(reasons: readonly string[]): void
}

/** The catalog is read once a week, at no fixed hour. The check for a new snapshot costs nothing, so it runs often. */
const schedule = '*/15 * * * * *'

export function startMarket({ log, store, now, onFailed, onHeldBack }: WeeklyOptions): Running {
  let built = ''
  return tick(schedule, 2_000, async signal => {
    try {
      // Before the first snapshot there is no reason to open a store.
      if (await isEmpty(log)) return true
      const opened = await store()
      const snapshot = await unbuilt(opened)
      if (signal.aborted || snapshot <= built) return true
      const { outcome, reasons } = await buildMarket({ store: opened, log, now })
      // Kept here too, because the sink may need a moment to write the build into the store.
      built = snapshot
      if (outcome === 'held_back') onHeldBack(reasons)
      return true
    } catch (failure) {
      // The world or the store fails: the previous release stays on sale, and the next tick tries again.
      if (!signal.aborted && !(failure instanceof NotReady)) onFailed(failure)
      return false
    }
  })
}

/** A group that never commits lags by every record of the topic, so a lag of 0 means that there are none. */
const isEmpty = async (log: Log): Promise<boolean> => (await log.lag(marketSnapshots.topic, 'market')) === 0

/** The newest snapshot, if no release was built from it yet. */
async function unbuilt(store: Store): Promise<string> {
  const [found] = await store.query<{ snapshot: string }>(
    'select max(snapshot) as snapshot from market_snapshots having snapshot > (select max(snapshot) from market_builds)',
  )
  return found?.snapshot ?? ''
}

export const weeklyMarket: Worker = {
  part: 'market',
  role: 'ingest',
  groups: [{ topic: marketSnapshots.topic, group: 'market' }],
  reads: [marketReleases, marketBuilds],
  writes: [marketWeeks, marketEndpoints, marketBuilds, marketReleases],
  open: ({ alone, store, now, onFailed }) =>
    alone('market', ({ log }) =>
      startMarket({
        log,
        store,
        now,
        onFailed: error => onFailed('build', error),
        onHeldBack: reasons => onFailed('build', new Error(`held back: ${reasons.join('; ')}`)),
      }),
    ),
}
