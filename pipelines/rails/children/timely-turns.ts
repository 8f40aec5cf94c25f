/** Turns whose callers are told in time that theirs does not come. */
import { FairTurns } from './fair-turns.ts'

interface TimelyOptions {
  atOnce: number
  mostWaiting: number
  /** What a turn takes on a busy machine. */
  seconds: number
}

/** The turn has not come, and may come after so many seconds. */
interface LateTurn {
  retryAfterSeconds: number
}

export class TimelyTurns {
  readonly #options: TimelyOptions
  readonly #turns: FairTurns
  #waiting = 0

  constructor(options: TimelyOptions) {
    this.#options = options
    this.#turns = new FairTurns(options)
  }

  /** `waitMs` is how long the caller can wait until it begins. */
  async run<T>(caller: string, waitMs: number, work: () => Promise<T>): Promise<{ done: T } | LateTurn> {
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => late.resolve(undefined), Math.max(0, waitMs))
    let isLate = false
    this.#waiting += 1
    const begun = this.#turns.run(caller, async () => {
      if (isLate) return undefined
      clearTimeout(timer)
      return { done: await work() }
    })
    try {
      const ended = await Promise.race([begun, late.promise])
      return ended ?? { retryAfterSeconds: this.#retryAfterSeconds }
    } finally {
      isLate = true
      clearTimeout(timer)
      this.#waiting -= 1
    }
  }

  get #retryAfterSeconds(): number {
    const { atOnce, seconds } = this.#options
    return Math.ceil(this.#waiting / atOnce) * seconds
  }
}
