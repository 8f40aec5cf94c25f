/** Bounds the refusals of a payer: a payment that never pays must not use our upstreams for free. */
import { Failure } from '../../errors.ts'

const windowMs = 60_000
const most = 30
const payersLimit = 50_000

export class Allowance {
  readonly #refused = new Map<string, number[]>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Throws the free 429 for a payer who was refused too often within the last minute. */
  admit(payer: string): void {
    const recent = this.#recent(payer)
    if (recent.length < most) return
    const waitMs = (recent[0] as number) + windowMs - this.#now()
    throw new Failure('too_many_requests', 'Too many calls of this payer ended in a refusal', {
      'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
    })
  }

  count(payer: string): void {
    const recent = [...this.#recent(payer), this.#now()]
    this.#refused.delete(payer)
    this.#refused.set(payer, recent)
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= payersLimit) break
      this.#refused.delete(oldest)
    }
  }

  #recent(payer: string): number[] {
    const after = this.#now() - windowMs
    return (this.#refused.get(payer) ?? []).filter(at => at > after)
  }
}
