/** Limits the work of our nodes for payments that strangers present: each look costs many calls of a node. */
import { steady } from '../../../pipelines/rails/outside/upstreams/steady.ts'

/** For all callers together: looks at once, and in a minute. */
const mostAtOnce = 8
const mostAMinute = 240
const minuteMs = 60_000

/** For one caller: looks at once, and in a minute. */
interface OfOne {
  atOnce: number
  aMinute: number
}

export class Looks {
  readonly #now: () => number
  readonly #ofOne: OfOne
  readonly #underWay = new Map<string, number>()
  /** The looks of this minute, so it holds no more callers than there are looks. */
  readonly #looked = new Map<string, number>()
  #since = 0
  #atOnce = 0
  #all = 0

  constructor(now: () => number, ofOne: OfOne) {
    this.#now = steady(now)
    this.#ofOne = ofOne
  }

  /** Resolves with null, without a look, if this caller or all callers together have had enough for now. */
  async look<Seen>(caller: string, look: () => Promise<Seen>): Promise<Seen | null> {
    if (this.#now() - this.#since >= minuteMs) this.#beginMinute()
    const looked = this.#looked.get(caller) ?? 0
    const own = this.#underWay.get(caller) ?? 0
    if (looked >= this.#ofOne.aMinute || this.#all >= mostAMinute) return null
    if (own >= this.#ofOne.atOnce || this.#atOnce >= mostAtOnce) return null
    this.#all++
    this.#atOnce++
    this.#looked.set(caller, looked + 1)
    this.#underWay.set(caller, own + 1)
    try {
      return await look()
    } finally {
      this.#atOnce--
      const left = (this.#underWay.get(caller) ?? 1) - 1
      if (left > 0) this.#underWay.set(caller, left)
      else this.#underWay.delete(caller)
    }
  }

  #beginMinute(): void {
    this.#since = this.#now()
    this.#all = 0
    this.#looked.clear()
  }
}
