/** A key whose fetch failed rests: nobody asks for it for a while, each time twice as long. */
import { Bounded } from '../../rails/bounded.ts'

const backOffMs = { first: 5_000, most: 300_000 }

export class Resting {
  readonly #failed: Bounded<{ error: unknown; times: number; until: number }>
  readonly #now: () => number

  constructor(most: number, now: () => number) {
    this.#failed = new Bounded({ most })
    this.#now = now
  }

  /** The error of its last fetch, while the key rests. */
  why(name: string): unknown {
    const failed = this.#failed.peek(name)
    return failed && this.#now() < failed.until ? failed.error : undefined
  }

  begin(name: string, error: unknown): void {
    const times = (this.#failed.peek(name)?.times ?? 0) + 1
    const pauseMs = Math.min(backOffMs.first * 2 ** (times - 1), backOffMs.most)
    this.#failed.set(name, { error, times, until: this.#now() + pauseMs })
  }

  over(name: string): void {
    this.#failed.delete(name)
  }
}
