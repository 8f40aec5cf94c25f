/** A stop lets calls end, but does not wait for the end of an outcome that nobody knows. */
export class Stopping {
  readonly #graceMs: number
  readonly #calls = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  /** From here on nothing is promised and nothing is settled. */
  isOver = false

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.isOver = true
      for (const leave of this.#calls) leave()
    }, this.#graceMs)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.isOver = true
  }

  /** Does the work, and fails with `late` if a stop cannot wait for its end. */
  async within<T>(work: Promise<T>, late: () => Error): Promise<T> {
    const cut = Promise.withResolvers<never>()
    const leave = () => cut.reject(late())
    this.#calls.add(leave)
    try {
      return await Promise.race([work, cut.promise])
    } finally {
      this.#calls.delete(leave)
    }
  }
}
