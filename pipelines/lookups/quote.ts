/**
 * The current quote of an endpoint. The endpoint is asked once in 30 s, and its host once in a second, however many
 * callers ask.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { askEitherWay, type WantedVerbs } from '../domains/watch/two-verbs.ts'
import type { ProbeSeen } from '../domains/x402/quote-probe.ts'
import { Bounded } from '../rails/bounded.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import type { PublicFetch } from '../rails/outside/fetching/visit.ts'
import type { Lookup } from './lookup.ts'

interface QuoteSeen {
  seen: ProbeSeen
  at: number
  cached: boolean
}

interface QuoteAsked extends WantedVerbs {
  /** Before a payment, an answer that is 30 s old is not good enough. */
  anew?: boolean
}

export const quoteTimes = { keptMs: 30_000, hostPauseMs: 1_000, mostWaitMs: 5_000 }
const mostKept = 5_000

export const quoteLookup: Lookup<QuoteAsked, QuoteSeen, { visits: PublicFetch }> = {
  name: 'quote',
  timeoutMs: 25_000,
  needs: ({ visits }) => ({ visits }),
  open({ visits }) {
    const kept = new Bounded<{ seen: Promise<ProbeSeen>; at: number }>({ most: mostKept })
    const turns = new Turns()

    return {
      async find({ anew = false, ...wanted }, { now, signal }) {
        const name = JSON.stringify([wanted.url, wanted.method, wanted.body])
        const known = kept.peek(name)
        if (known && !anew && now() - known.at < quoteTimes.keptMs)
          return { seen: await known.seen, at: known.at, cached: true }
        const at = now()
        const seen = askEitherWay(visits, wanted, signal, () => turns.of(new URL(wanted.url).hostname))
        kept.set(name, { seen, at })
        // The waiting callers get the failure. The next caller asks again.
        seen.catch(() => kept.delete(name))
        return { seen: await seen, at, cached: false }
      },
    }
  },
}

/** Sends the requests to a host one after another. */
class Turns {
  readonly #nextAt = new Bounded<number>({ most: mostKept })

  async of(host: string): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt.peek(host) ?? now)
    if (at - now > quoteTimes.mostWaitMs) throw new UpstreamFailed(`too many callers ask about ${host}`)
    this.#nextAt.set(host, at + quoteTimes.hostPauseMs)
    if (at > now) await sleep(at - now)
  }
}
