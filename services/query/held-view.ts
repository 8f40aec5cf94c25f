/** The rows of one view in memory, the newest of each key. */
import { keyText } from '../../schemas/dataset/dataset.ts'
import { Failure } from '../offer/errors.ts'
import type { Held } from '../offer/operation.ts'

/** An event that this version cannot read: nobody knows what has become of its key. */
export const unread = Symbol('unread')

export class HeldView<Row> implements Held<Row> {
  readonly #name: string
  readonly #rows = new Map<string, Row>()
  readonly #unread = new Set<string>()
  readonly #built = new Map<string, { value: unknown; until: number }>()
  readonly #now: () => number
  #newestKey: string | undefined
  polledAt: number | undefined

  constructor(name: string, now: () => number) {
    this.#name = name
    this.#now = now
  }

  get(...key: (string | number)[]): Row | undefined {
    const name = keyText(...key)
    if (this.#unread.has(name)) throw this.#stale(name)
    return this.#rows.get(name)
  }

  /** Whoever asks for all rows relies on those that are not there, too. */
  rows(): Iterable<Row> {
    const [missing] = this.#unread
    if (missing !== undefined) throw this.#stale(missing)
    return this.#rows.values()
  }

  /** The rows that can be read: for /health, never for an answer. */
  readable(): Iterable<Row> {
    return this.#rows.values()
  }

  readableOf(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  isUnread(key: string): boolean {
    return this.#unread.has(key)
  }

  get size(): number {
    return this.#rows.size
  }

  get newest(): Row | undefined {
    return this.#newestKey === undefined ? undefined : this.#rows.get(this.#newestKey)
  }

  put(key: string, row: Row | undefined | typeof unread): void {
    if (row === unread) this.#unread.add(key)
    else this.#unread.delete(key)
    if (row === unread || row === undefined) this.#remove(key)
    else {
      this.#rows.set(key, row)
      if (this.#newestKey === undefined || key > this.#newestKey) this.#newestKey = key
    }
    this.#built.clear()
  }

  once<T>(name: string, build: (held: Held<Row>) => { value: T; until?: number }): T {
    const kept = this.#built.get(name)
    if (kept && this.#now() < kept.until) return kept.value as T
    const { value, until = Number.POSITIVE_INFINITY } = build(this)
    this.#built.set(name, { value, until })
    return value
  }

  #remove(key: string): void {
    this.#rows.delete(key)
    if (key === this.#newestKey) this.#newestKey = [...this.#rows.keys()].sort().at(-1)
  }

  #stale(key: string): Failure {
    const why = `${this.#name} holds what this version cannot read, of ${key}`
    return new Failure('stale_data', why, { 'Retry-After': '30' })
  }
}
