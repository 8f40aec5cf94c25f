/** How often one caller may ask: a bucket of requests each, refilled over the minute. */
import { Failure } from '../errors.ts'

const most = 50_000

export class Callers {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #buckets = new Map<string, { left: number; at: number }>()

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#now = now
  }

  /** Throws the free 429 with the seconds to wait. */
  admit(caller: string): void {
    const now = this.#now()
    const rate = this.#perMinute / 60_000
    let bucket = this.#buckets.get(caller)
    if (!bucket) {
      if (this.#buckets.size >= most) this.#forget(now)
      bucket = { left: this.#perMinute, at: now }
      this.#buckets.set(caller, bucket)
    }
    bucket.left = Math.min(this.#perMinute, bucket.left + (now - bucket.at) * rate)
    bucket.at = now
    if (bucket.left < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.left) / rate / 1000))
      throw new Failure('too_many_requests', `More than ${this.#perMinute} requests a minute`, {
        'retry-after': String(seconds),
      })
    }
    bucket.left -= 1
  }

  /** Whoever has been quiet for a minute has a full bucket again; failing that, the longest known goes. */
  #forget(now: number): void {
    for (const [caller, { at }] of this.#buckets) if (now - at > 60_000) this.#buckets.delete(caller)
    for (const caller of this.#buckets.keys()) {
      if (this.#buckets.size < most) break
      this.#buckets.delete(caller)
    }
  }
}
