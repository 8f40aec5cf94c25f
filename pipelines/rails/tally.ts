/** Counts something by name. A name whose count is back at 0 is removed, so the table has one entry for each name that counts. */
export class Tally {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** `by` may be negative. */
  add(name: string, by = 1): void {
    const count = this.of(name) + by
    if (count > 0) this.#counts.set(name, count)
    else this.#counts.delete(name)
  }

  get size(): number {
    return this.#counts.size
  }

  clear(): void {
    this.#counts.clear()
  }
}
