/** Appends to a log that instances share, and waits until the record was read back and judged. */
import type { Entry, Log } from '../../../pipelines/log/log.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'

/** The record was written by then, or nobody knows. */
const lateMs = 10_000

interface Unread {
  since: number
  judged: PromiseWithResolvers<boolean>
}

export class Readback {
  readonly #log: Log
  readonly #unread = new Map<string, Unread>()
  #ended: unknown

  constructor(log: Log) {
    this.#log = log
  }

  /** Resolves with what the judge said. Rejects when the log did not take the record, or it cannot be read back. */
  async append(entry: Entry, name: string): Promise<boolean> {
    if (this.#ended) throw this.#ended
    const judged = Promise.withResolvers<boolean>()
    judged.promise.catch(() => {})
    this.#unread.set(name, { since: performance.now(), judged })
    try {
      await this.#log.append(tillPromises.topic, [entry])
      return await judged.promise
    } finally {
      this.#unread.delete(name)
    }
  }

  heard(name: string, stands: boolean): void {
    this.#unread.get(name)?.judged.resolve(stands)
  }

  /** Gives up what is not read back for too long. */
  sweep(): void {
    const before = performance.now() - lateMs
    for (const { since, judged } of this.#unread.values())
      if (since < before) judged.reject(new Error('the log does not show what was appended to it'))
  }

  /** Nothing will be read back any more. */
  end(error: unknown): void {
    this.#ended = error
    for (const { judged } of this.#unread.values()) judged.reject(error)
  }
}
