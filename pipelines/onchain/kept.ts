/** Keeps answers for as long as they hold. Those who ask the same at the same time share one reading. */

interface Entry<T> {
  answer: Promise<T>
  /** 0: it is being read, and only those who ask meanwhile share it. */
  until: number
}

export class Kept {
  readonly #now: () => number
  readonly #most: number
  readonly #entries = new Map<string, Entry<unknown>>()

  constructor(now: () => number, most: number) {
    this.#now = now
    this.#most = most
  }

  /** `until` says to what time (ms) the answer holds. */
  ask<T>(name: string, read: () => Promise<T>, until: (answer: T) => number): Promise<T> {
    const known = this.#entries.get(name) as Entry<T> | undefined
    if (known && (known.until === 0 || this.#now() < known.until)) return known.answer
    const entry: Entry<T> = { answer: read(), until: 0 }
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    entry.answer.then(
      answer => {
        entry.until = until(answer)
        this.#forget()
      },
      // Those who wait get the failure. The next one reads again.
      () => {
        if (this.#entries.get(name) === entry) this.#entries.delete(name)
      },
    )
    return entry.answer
  }

  /** The oldest go first. A reading that is still under way stays. */
  #forget(): void {
    for (const [name, { until }] of this.#entries) {
      if (this.#entries.size <= this.#most) return
      if (until !== 0) this.#entries.delete(name)
    }
  }
}
