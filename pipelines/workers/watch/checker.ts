/** Asks every watched endpoint for its quote, in its slot, and records the answer. */
import type { WatchBook } from '../../domains/watch/book.ts'
import { type Rhythm, Rounds } from '../../domains/watch/rounds.ts'
import { endpointOf } from '../../domains/watch/url.ts'
import type { Log } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import type { Running } from '../../rails/running.ts'
import { Crew } from './crew.ts'
import { EndpointChecks } from './endpoint-checks.ts'

interface CheckingOptions {
  log: Log
  visits: PublicFetch
  book: WatchBook
  rhythm: Rhythm
  now: () => number
  onFailed(error: unknown): void
}

export interface EndpointChecking extends Running {
  /** Begins the due checks. */
  round(): void
  /** Resolves when no check is running. */
  idle(): Promise<void>
  /** The subscriptions of this endpoint have changed. */
  changed(endpoint: string): void
}

export function startChecking(options: CheckingOptions): EndpointChecking {
  const { book, rhythm, now } = options
  const rounds = new Rounds(rhythm, now())
  const crew = new Crew()
  const stopping = new AbortController()
  const checks = new EndpointChecks({ ...options, rounds, stopping: stopping.signal })
  const ended = Promise.withResolvers<void>()
  const watched = new Set<string>()

  function changed(endpoint: string): void {
    const isWatched = book.watchersOf(endpoint, now()).length > 0
    if (isWatched === watched.has(endpoint)) return
    if (isWatched) {
      const { checked_at } = book.states.get(endpoint) ?? {}
      // The purchase that began the subscription has already checked it.
      rounds.add(endpoint, checked_at === undefined ? now() : Date.parse(checked_at))
      watched.add(endpoint)
    } else {
      rounds.drop(endpoint)
      watched.delete(endpoint)
    }
    metrics.endpointsWatched.set(watched.size)
  }

  function round(): void {
    for (const { endpoint, isAgain } of rounds.due(now())) {
      const [row] = book.watchersOf(endpoint, now())
      if (!row) {
        changed(endpoint)
        continue
      }
      crew.add(new URL(row.subject).hostname, () => checks.check(endpoint, row, isAgain), now())
    }
    const since = crew.waitingSince
    metrics.endpointChecksLate.set(since === undefined ? 0 : Math.max(0, now() - since) / 1000)
  }

  const ticking = setInterval(round, 1000)
  for (const { what, subject } of book.subscriptions.values())
    if (what === 'endpoint') changed(endpointOf(subject))

  return {
    ended: ended.promise,
    round,
    changed,
    idle: () => crew.idle(),
    async close() {
      clearInterval(ticking)
      stopping.abort(new Error('stopping'))
      await crew.close()
      // The next process that checks reports this number.
      metrics.endpointsWatched.remove()
      metrics.endpointChecksLate.remove()
      ended.resolve()
    },
  }
}
