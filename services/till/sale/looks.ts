/** Limits the work of our nodes for payments that strangers present: each look costs many calls of a node. */
import { steady } from '../../../pipelines/rails/outside/upstreams/steady.ts'
import { Tally } from '../../../pipelines/rails/tally.ts'

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
  readonly #underWay = new Tally()
  /** The looks of this minute, so it holds no more callers than there are looks. */
  readonly #looked = new Tally()
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
    const { atOnce, aMinute } = this.#ofOne
    if (this.#looked.of(caller) >= aMinute || this.#all >= mostAMinute) return null
    if (this.#underWay.of(caller) >= atOnce || this.#atOnce >= mostAtOnce) return null
    this.#all++
    this.#atOnce++
    this.#looked.add(caller)
    this.#underWay.add(caller)
    try {
      return await look()
    } finally {
      this.#atOnce--
      this.#underWay.add(caller, -1)
    }
  }

  #beginMinute(): void {
    this.#since = this.#now()
    this.#all = 0
    this.#looked.clear()
  }
}
