/**
 * Caches rows by the keys of large topics. When it holds too many rows, it drops the key that was asked for longest
 * ago.
 */

export type Row = Record<string, unknown>

/** One key of one topic. */
export interface CachedKey {
  readonly name: string
  /** The newest events since the key was first asked for, by identity. The store may not have them yet. */
  recent: Map<string, { row: Row; until: number }>
  /** The number of events that have come. */
  changes: number
  answers: Map<string, { rows: readonly Row[]; at: number }>
  reading: Map<string, Promise<readonly Row[]>>
  /** In rows. */
  weight: number
}

export class KeyCache {
  readonly #mostRows: number
  /** In the order of the last question, the oldest first. */
  readonly #keys = new Map<string, CachedKey>()
  #rows = 0

  constructor(mostRows: number) {
    this.#mostRows = mostRows
  }

  /** Finds a key that was asked for before. */
  get(name: string): CachedKey | undefined {
    return this.#keys.get(name)
  }

  /** Finds a key, or begins to cache it. */
  of(name: string): CachedKey {
    const key = this.#keys.get(name) ?? {
      name,
      recent: new Map(),
      changes: 0,
      answers: new Map(),
      reading: new Map(),
      weight: 0,
    }
    this.#keys.delete(name)
    this.#keys.set(name, key)
    this.weigh(key)
    return key
  }

  /** Must be called whenever a key holds more or fewer rows. */
  weigh(key: CachedKey): void {
    if (this.#keys.get(key.name) !== key) return
    const answered = [...key.answers.values()].reduce((sum, { rows }) => sum + rows.length, 0)
    const weight = 1 + key.recent.size + answered
    this.#rows += weight - key.weight
    key.weight = weight
    for (const [name, oldest] of this.#keys) {
      if (this.#rows <= this.#mostRows || oldest === key) return
      this.#keys.delete(name)
      this.#rows -= oldest.weight
    }
  }
}
