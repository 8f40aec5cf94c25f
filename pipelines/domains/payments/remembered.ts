/** Keeps values that never change and cost a call. It drops them all when there are too many. */
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

  drop(key: string): void {
    this.#known.delete(key)
  }

  /** Fetches the values that it does not know yet, at most `atOnce` at a time. Afterwards it knows all of `keys`. */
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
