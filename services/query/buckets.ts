/**
 * Buckets of requests. Each name has one bucket, and it fills up again within a minute. All limits of a process share one table, so
 * more limits take no more memory.
 */
import { steady } from '../../pipelines/rails/outside/upstreams/steady.ts'

interface Bucket {
  left: number
  at: number
}

interface Drawn {
  /** Undefined if the bucket was empty. */
  left: number | undefined
  /** The time until an empty bucket has one request again, or until any other bucket is full. */
  backInMs: number
}

/** The most names in each of the two generations. */
export const mostBuckets = 50_000
const minuteMs = 60_000

export class Buckets {
  readonly #now: () => number
  // The older generation is dropped at once: a name that has not drawn for a minute has a full bucket anyway. So removal costs
  // nothing per name, and a crowd cannot fill the memory. To push out a name, a caller needs tens of thousands of other names. Each
  // of them has had a full bucket, so the gain is less than a hundredth.
  #young = new Map<string, Bucket>()
  #old = new Map<string, Bucket>()
  #turnedAt = 0

  constructor(now: () => number) {
    this.#now = steady(now)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** A name always has the same rate. */
  draw(name: string, perMinute: number): Drawn {
    const now = this.#now()
    const bucket = this.#bucketOf(name, perMinute, now)
    const perMs = perMinute / minuteMs
    bucket.left = Math.min(perMinute, bucket.left + (now - bucket.at) * perMs)
    bucket.at = now
    if (bucket.left < 1) return { left: undefined, backInMs: (1 - bucket.left) / perMs }
    bucket.left -= 1
    return { left: bucket.left, backInMs: (perMinute - bucket.left) / perMs }
  }

  #bucketOf(name: string, perMinute: number, now: number): Bucket {
    const known = this.#young.get(name)
    if (known) return known
    if (this.#young.size >= mostBuckets || now - this.#turnedAt > minuteMs) {
      this.#old = this.#young
      this.#young = new Map()
      this.#turnedAt = now
    }
    const bucket = this.#old.get(name) ?? { left: Math.max(1, perMinute), at: now }
    this.#young.set(name, bucket)
    return bucket
  }
}
