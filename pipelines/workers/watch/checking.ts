/** Asks every watched endpoint for its quote, in its slot, and writes down what it answers. */
import { type EndpointCheck, endpointChecks } from '../../../schemas/endpoint-checks.ts'
import { isSameQuote } from '../../../schemas/values/offers.ts'
import type { WatchSubscription } from '../../../schemas/watch-subscriptions.ts'
import type { Book } from '../../domains/watch/book.ts'
import { type Rhythm, Rounds } from '../../domains/watch/rounds.ts'
import { Trouble } from '../../domains/watch/trouble.ts'
import { endpointOf } from '../../domains/watch/url.ts'
import { checkOf, isOfNetwork, ownTrouble } from '../../domains/watch/verdict.ts'
import { askQuote } from '../../domains/x402/quote-probe.ts'
import type { Log } from '../../rails/log/log.ts'
import { entryOf } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import type { Running } from '../../rails/running.ts'
import { Crew } from './crew.ts'

interface CheckingOptions {
  log: Log
  visits: PublicFetch
  book: Book
  rhythm: Rhythm
  now: () => number
  onFailed(error: unknown): void
}

export interface Checking extends Running {
  /** Begins the checks that are due. */
  round(): void
  /** Resolves when no check is under way. */
  idle(): Promise<void>
  /** The subscriptions of this endpoint have changed. */
  changed(endpoint: string): void
}

const patienceMs = 15_000

export function startChecking({ log, visits, book, rhythm, now, onFailed }: CheckingOptions): Checking {
  const rounds = new Rounds(rhythm, now())
  const crew = new Crew()
  const trouble = new Trouble()
  const stopping = new AbortController()
  const ended = Promise.withResolvers<void>()
  const watched = new Set<string>()

  function changed(endpoint: string): void {
    const isWatched = book.watchersOf(endpoint, now()).length > 0
    if (isWatched === watched.has(endpoint)) return
    if (isWatched) {
      const { checked_at } = book.states.get(endpoint) ?? {}
      // The purchase that begins a subscription has checked it.
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
      crew.add(new URL(row.subject).hostname, () => check(endpoint, row, isAgain), now())
    }
    const since = crew.waitingSince
    metrics.endpointChecksLate.set(since === undefined ? 0 : Math.max(0, now() - since) / 1000)
  }

  async function check(
    endpoint: string,
    row: WatchSubscription,
    isAgain: boolean,
    notBefore = 0,
  ): Promise<void> {
    try {
      const first = await checked(row, isAgain, notBefore)
      await log.append(endpointChecks.topic, [entryOf(endpointChecks, first)])
      metrics.endpointChecks.inc({ verdict: first.verdict })
      if (isAgain) return
      const state = book.states.get(endpoint)
      if (first.verdict === 'failed' && state?.told !== 'down') rounds.again(endpoint, now() + rhythm.againMs)
      // A change is asked about again at once, over a connection of its own.
      const isNew = state && state.summed_at === null && !isSameQuote(state.offers, first.offers)
      if (first.verdict === 'good' && isNew) await check(endpoint, row, true, Date.parse(first.at) + 1)
    } catch (error) {
      // The log fails: the endpoint is checked again in its next slot.
      if (!stopping.signal.aborted) onFailed(error)
    }
  }

  /** No two checks of an endpoint are of the same moment. */
  async function checked(
    row: WatchSubscription,
    isAgain: boolean,
    notBefore: number,
  ): Promise<EndpointCheck> {
    const { subject: url, method, body } = row
    const seen = await askQuote(visits, { url, method, body, totalMs: patienceMs }, stopping.signal)
    const check = checkOf(url, seen, Math.max(now(), notBefore), isAgain)
    const isNetwork = isOfNetwork(check)
    trouble.hear(check.host, isNetwork, now())
    return isNetwork && trouble.isOurs(now()) ? { ...check, ...ownTrouble } : check
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
      // Whoever checks next tells.
      metrics.endpointsWatched.remove()
      metrics.endpointChecksLate.remove()
      ended.resolve()
    },
  }
}
