/** Limits the costly refusals of a payer, because a payment that never pays must not use our upstreams for free. */
import { steady } from '../../../pipelines/outside/steady.ts'
import { Failure } from '../../errors.ts'
import { refusalsAMinute as most, standingOf } from '../../rate.ts'

const windowMs = 60_000
const payersLimit = 50_000

export class Allowance {
  readonly #refused = new Map<string, number[]>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = steady(now)
  }

  /** Throws a free 429 for a payer with too many refusals in the last minute. */
  admit(payer: string): void {
    const recent = this.#recent(payer)
    if (recent.length < most) return
    const waitMs = (recent[0] as number) + windowMs - this.#now()
    const message = `More than ${most} requests to upstreams in a minute were for calls of this payer that were refused`
    throw new Failure('too_many_requests', message, {
      'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
      ratelimit: standingOf('refusals', 0, waitMs),
    })
  }

  /** Counts a refusal by its cost. Returns the header that tells the payer how much is left. */
  count(payer: string, asks = 1): Record<string, string> {
    const recent = [...this.#recent(payer), ...Array<number>(asks).fill(this.#now())].slice(-most)
    this.#refused.delete(payer)
    this.#refused.set(payer, recent)
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= payersLimit) break
      this.#refused.delete(oldest)
    }
    return { ratelimit: standingOf('refusals', most - recent.length, windowMs) }
  }

  #recent(payer: string): number[] {
    const after = this.#now() - windowMs
    return (this.#refused.get(payer) ?? []).filter(at => at > after)
  }
}
