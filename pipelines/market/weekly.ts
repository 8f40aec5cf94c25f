/** The clock of the market: soon after a snapshot of the catalog is whole, a release is built from it. */
import { marketSnapshots } from '../../schemas/market-snapshots.ts'
import { tick } from '../clock.ts'
import { NotReady } from '../failures.ts'
import type { Log } from '../log/log.ts'
import type { Running } from '../running.ts'
import type { Store } from '../store/store.ts'
import type { Worker } from '../worker.ts'
import { buildMarket } from './build.ts'

export interface WeeklyOptions {
  log: Log
  store: () => Promise<Store>
  now: () => number
  onFailed(error: unknown): void
  /** Told of a build that did not go on sale, with what looked wrong. */
  onHeldBack(reasons: readonly string[]): void
}

/** The catalog is read once a week, at an hour of its own choice; whether it was is asked often, for that costs nothing. */
const schedule = '*/15 * * * * *'

export function startMarket({ log, store, now, onFailed, onHeldBack }: WeeklyOptions): Running {
  let built = ''
  return tick(schedule, 2_000, async signal => {
    try {
      // Without any snapshot ever there is nothing to open a store for.
      if (await isEmpty(log)) return true
      const opened = await store()
      const snapshot = await unbuilt(opened)
      if (signal.aborted || snapshot <= built) return true
      const { outcome, reasons } = await buildMarket({ store: opened, log, now })
      // Told here too: the sink may need a moment to bring the build into the store.
      built = snapshot
      if (outcome === 'held_back') onHeldBack(reasons)
      return true
    } catch (failure) {
      // The world or the store fails: the release before stays on sale, and the next tick tries again.
      if (!signal.aborted && !(failure instanceof NotReady)) onFailed(failure)
      return false
    }
  })
}

/** A group that never commits lags behind by everything there is. */
const isEmpty = async (log: Log): Promise<boolean> => (await log.lag(marketSnapshots.topic, 'market')) === 0

/** The newest snapshot, if nothing was built from it yet. */
async function unbuilt(store: Store): Promise<string> {
  const [found] = await store.query<{ snapshot: string }>(
    'select max(snapshot) as snapshot from market_snapshots having snapshot > (select max(snapshot) from market_builds)',
  )
  return found?.snapshot ?? ''
}

export const marketBuilds: Worker = {
  part: 'market',
  role: 'ingest',
  open: ({ log, store, now, onFailed }) =>
    startMarket({
      log,
      store,
      now,
      onFailed: error => onFailed('build', error),
      onHeldBack: reasons => onFailed('build', new Error(`held back: ${reasons.join('; ')}`)),
    }),
}
