/** Keeps what never changes and costs a call. It forgets everything once that is too much. */
export class Remembered<T> {
  readonly #most: number
  #known = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    return this.#known.get(key)
  }

  set(key: string, value: T): void {
    if (this.#known.size >= this.#most) this.#known = new Map()
    this.#known.set(key, value)
  }

  /** Fetches what is not known of these, so many at once. All of them are known afterwards. */
  async fill(
    keys: readonly string[],
    atOnce: number,
    fetch: (keys: string[]) => Promise<T[]>,
  ): Promise<void> {
    const wanted = [...new Set(keys)]
    if (this.#known.size + wanted.length > this.#most)
      this.#known = new Map(
        wanted.flatMap(key => (this.#known.has(key) ? [[key, this.#known.get(key) as T]] : [])),
      )
    const missing = wanted.filter(key => !this.#known.has(key))
    for (let i = 0; i < missing.length; i += atOnce) {
      const part = missing.slice(i, i + atOnce)
      const values = await fetch(part)
      part.forEach((key, j) => {
        this.#known.set(key, values[j] as T)
      })
    }
  }
}
