/** Caches rows by the keys of large topics. Their bytes are bounded over all keys: whoever pays asks for as many as he likes. */
import { Bounded } from '../../pipelines/rails/bounded.ts'

export type Row = Record<string, unknown>

/** One key of one topic. */
export interface CachedKey {
  readonly name: string
  /** The newest events since the first request for the key, by identity. The store may not have them yet. */
  recent: Map<string, { row: Row; until: number }>
  /** The number of events that have arrived. */
  changes: number
  /** Until then an event that cannot be read may be missing. */
  unreadUntil: number
  answers: Map<string, { rows: readonly Row[]; at: number }>
  reading: Map<string, Promise<readonly Row[]>>
}

export class KeyCache {
  readonly #keys: Bounded<CachedKey>

  constructor(bounds: { mostKeys: number; mostBytes: number }) {
    this.#keys = new Bounded({ most: bounds.mostKeys, mostWeight: bounds.mostBytes, weigh: bytesOf })
  }

  get bytes(): number {
    return this.#keys.weight
  }

  /** Finds a key that is cached. */
  get(name: string): CachedKey | undefined {
    return this.#keys.peek(name)
  }

  /** Finds a key, or begins to cache it. */
  of(name: string): CachedKey {
    const known = this.#keys.ask(name)
    if (known) return known
    const key: CachedKey = {
      name,
      recent: new Map(),
      changes: 0,
      unreadUntil: 0,
      answers: new Map(),
      reading: new Map(),
    }
    this.#keys.set(name, key)
    return key
  }

  /** Callers must call it whenever the rows of a key change. */
  weigh(key: CachedKey): void {
    if (this.#keys.peek(key.name) === key) this.#keys.weigh(key.name)
  }
}

/** What a key takes beside its rows. */
const keyBytes = 1_000
/** A row takes so much more than its JSON. */
const timesOfJson = 3
/** Each row is weighed once. */
const weighed = new WeakMap<Row, number>()

function rowBytes(row: Row): number {
  const known = weighed.get(row)
  if (known !== undefined) return known
  const bytes = timesOfJson * JSON.stringify(row).length
  weighed.set(row, bytes)
  return bytes
}

function bytesOf({ recent, answers }: CachedKey): number {
  let bytes = keyBytes
  for (const { row } of recent.values()) bytes += rowBytes(row)
  for (const { rows } of answers.values()) for (const row of rows) bytes += rowBytes(row)
  return bytes
}
