/** Limits how often one caller may ask: each has a bucket of requests that fills up again over a minute. */
import { steady } from '../../pipelines/outside/steady.ts'
import { Failure } from '../errors.ts'
import { type Rate, standingOf } from '../rate.ts'
import { FailedRenderings } from './failed-renderings.ts'

interface Bucket {
  left: number
  at: number
}

const most = 50_000
const minuteMs = 60_000

export class Callers {
  readonly rate: Rate
  readonly failedRenderings: FailedRenderings
  readonly #perMinute: number
  readonly #now: () => number
  // Buckets are in two generations, and the older one is dropped at once. A caller who has not asked for a minute has
  // a full bucket anyway. So removal costs nothing per caller, and a crowd of new callers cannot fill the memory.
  #young = new Map<string, Bucket>()
  #old = new Map<string, Bucket>()
  #turnedAt = 0

  constructor(perMinute: number, now: () => number) {
    this.rate = { name: 'requests', perMinute }
    this.#perMinute = perMinute
    this.#now = steady(now)
    this.failedRenderings = new FailedRenderings(now)
  }

  /** Counts a request and returns how many the caller has left. Above the limit it throws the free 429. */
  admit(caller: string): string {
    const now = this.#now()
    const bucket = this.#bucketOf(caller, now)
    const perMs = this.#perMinute / minuteMs
    bucket.left = Math.min(this.#perMinute, bucket.left + (now - bucket.at) * perMs)
    bucket.at = now
    if (bucket.left < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.left) / perMs / 1000))
      throw new Failure('too_many_requests', `You sent more than ${this.#perMinute} requests a minute`, {
        'retry-after': String(seconds),
        ratelimit: standingOf('requests', 0, this.#perMinute / perMs),
      })
    }
    bucket.left -= 1
    return standingOf('requests', bucket.left, (this.#perMinute - bucket.left) / perMs)
  }

  #bucketOf(caller: string, now: number): Bucket {
    const known = this.#young.get(caller)
    if (known) return known
    if (this.#young.size >= most || now - this.#turnedAt > minuteMs) {
      this.#old = this.#young
      this.#young = new Map()
      this.#turnedAt = now
    }
    const bucket = this.#old.get(caller) ?? { left: Math.max(1, this.#perMinute), at: now }
    this.#young.set(caller, bucket)
    return bucket
  }
}
