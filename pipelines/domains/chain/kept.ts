/** Keeps answers while they are valid. Callers that ask the same question at the same time share one read. */
import { Bounded } from '../../rails/bounded.ts'

interface Entry {
  answer: Promise<unknown>
  /** 0 while it is being read. Then only callers that ask in the meantime share it. */
  until: number
  bytes: number
}

interface KeptBounds {
  most: number
  mostBytes: number
}

export class Kept {
  readonly #now: () => number
  readonly #entries: Bounded<Entry>

  constructor(now: () => number, { most, mostBytes }: KeptBounds) {
    this.#now = now
    this.#entries = new Bounded({
      most,
      mostWeight: mostBytes,
      weigh: ({ bytes }) => bytes,
      stays: ({ until }) => until === 0,
    })
  }

  /** `until` returns the end of the answer's validity, in ms. */
  ask<T>(name: string, read: () => Promise<T>, until: (answer: T) => number): Promise<T> {
    const known = this.#entries.ask(name)
    if (known && (known.until === 0 || this.#now() < known.until)) return known.answer as Promise<T>
    const answer = read()
    const entry: Entry = { answer, until: 0, bytes: 0 }
    this.#entries.set(name, entry)
    answer.then(
      found => {
        entry.until = until(found)
        entry.bytes = 2 * (name.length + (JSON.stringify(found, withBigints) ?? '').length)
        this.#entries.weigh(name)
      },
      // The waiting callers get the failure. The next caller reads again.
      () => {
        if (this.#entries.peek(name) === entry) this.#entries.delete(name)
      },
    )
    return answer
  }
}

const withBigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
