/** A key whose fetch failed rests: nobody asks for it for a while, each time twice as long. */
const backOffMs = { first: 5_000, most: 300_000 }

export class Resting {
  readonly #failed = new Map<string, { error: unknown; times: number; until: number }>()
  readonly #most: number
  readonly #now: () => number

  constructor(most: number, now: () => number) {
    this.#most = most
    this.#now = now
  }

  /** The error of its last fetch, while the key rests. */
  why(name: string): unknown {
    const failed = this.#failed.get(name)
    return failed && this.#now() < failed.until ? failed.error : undefined
  }

  begin(name: string, error: unknown): void {
    const times = (this.#failed.get(name)?.times ?? 0) + 1
    const pauseMs = Math.min(backOffMs.first * 2 ** (times - 1), backOffMs.most)
    this.#failed.delete(name)
    this.#failed.set(name, { error, times, until: this.#now() + pauseMs })
    if (this.#failed.size > this.#most) this.#failed.delete(this.#failed.keys().next().value as string)
  }

  over(name: string): void {
    this.#failed.delete(name)
  }
}
