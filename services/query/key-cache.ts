/** Caches rows by the keys of large topics. The number of rows is bounded over all keys. */
import { Bounded } from '../../pipelines/rails/bounded.ts'

export type Row = Record<string, unknown>

/** One key of one topic. */
export interface CachedKey {
  readonly name: string
  /** The newest events since the first request for the key, by identity. The store may not have them yet. */
  recent: Map<string, { row: Row; until: number }>
  /** The number of events that have arrived. */
  changes: number
  answers: Map<string, { rows: readonly Row[]; at: number }>
  reading: Map<string, Promise<readonly Row[]>>
}

export class KeyCache {
  readonly #keys: Bounded<CachedKey>

  constructor(mostRows: number) {
    // A key without rows counts as one.
    this.#keys = new Bounded({ most: mostRows, mostWeight: mostRows, weigh: rowsOf })
  }

  /** Finds a key that is cached. */
  get(name: string): CachedKey | undefined {
    return this.#keys.peek(name)
  }

  /** Finds a key, or begins to cache it. */
  of(name: string): CachedKey {
    const known = this.#keys.ask(name)
    if (known) return known
    const key: CachedKey = { name, recent: new Map(), changes: 0, answers: new Map(), reading: new Map() }
    this.#keys.set(name, key)
    return key
  }

  /** Callers must call it whenever the number of rows of a key changes. */
  weigh(key: CachedKey): void {
    if (this.#keys.peek(key.name) === key) this.#keys.weigh(key.name)
  }
}

const rowsOf = ({ recent, answers }: CachedKey): number =>
  [...answers.values()].reduce((sum, { rows }) => sum + rows.length, 1 + recent.size)
