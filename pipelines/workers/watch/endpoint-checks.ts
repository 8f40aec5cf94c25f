/** Asks one endpoint for its quote, and records the answer. */
import { type EndpointCheck, endpointChecks } from '../../../schemas/endpoint-checks.ts'
import { pricesOf } from '../../../schemas/values/offers.ts'
import type { WatchSubscription } from '../../../schemas/watch-subscriptions.ts'
import type { WatchBook } from '../../domains/watch/book.ts'
import { isPayeeNews } from '../../domains/watch/payees.ts'
import type { Rhythm, Rounds } from '../../domains/watch/rounds.ts'
import { Trouble } from '../../domains/watch/trouble.ts'
import { checkOf, isOfNetwork, ownTrouble } from '../../domains/watch/verdict.ts'
import { askQuote } from '../../domains/x402/quote-probe.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'

interface CheckParts {
  log: Log
  visits: PublicFetch
  book: WatchBook
  rounds: Rounds
  rhythm: Rhythm
  now: () => number
  onFailed(error: unknown): void
  stopping: AbortSignal
}

const patienceMs = 15_000

export class EndpointChecks {
  readonly #parts: CheckParts
  readonly #trouble = new Trouble()

  constructor(parts: CheckParts) {
    this.#parts = parts
  }

  async check(endpoint: string, row: WatchSubscription, isAgain: boolean, notBefore = 0): Promise<void> {
    const { log, book, rounds, rhythm, now, onFailed, stopping } = this.#parts
    try {
      const first = await this.#checked(row, isAgain, notBefore)
      await log.append(endpointChecks.topic, [entryOf(endpointChecks, first)])
      metrics.endpointChecks.inc({ verdict: first.verdict })
      if (isAgain) return
      const state = book.states.get(endpoint)
      if (first.verdict === 'failed' && state?.told !== 'down') rounds.again(endpoint, now() + rhythm.againMs)
      // A change is checked again at once, over a new connection.
      const isPriceNews = state?.summed_at === null && pricesOf(state.offers) !== pricesOf(first.offers)
      const isNew = state && (isPriceNews || isPayeeNews(state, first.offers))
      if (first.verdict === 'good' && isNew) await this.check(endpoint, row, true, Date.parse(first.at) + 1)
    } catch (error) {
      // The log fails: the endpoint is checked again in its next slot.
      if (!stopping.aborted) onFailed(error)
    }
  }

  /** Two checks of an endpoint never have the same time. */
  async #checked(row: WatchSubscription, isAgain: boolean, notBefore: number): Promise<EndpointCheck> {
    const { visits, now, stopping } = this.#parts
    const { subject: url, method, body } = row
    const seen = await askQuote(visits, { url, method, body, totalMs: patienceMs }, stopping)
    const check = checkOf(url, seen, Math.max(now(), notBefore), isAgain)
    const isNetwork = isOfNetwork(check)
    this.#trouble.hear(check.host, isNetwork, now())
    return isNetwork && this.#trouble.isOurs(now()) ? { ...check, ...ownTrouble } : check
  }
}
