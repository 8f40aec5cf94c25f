/** Appends to a log that instances share, and waits until this run has read the record back and judged it. */
import type { Entry, Log } from '../../../pipelines/rails/log/log.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'

/** The longest wait for the record. After it, nobody knows whether the log has the record. */
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

  /** Resolves with the decision. Rejects if the log does not take the record, or if it cannot be read back. */
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

  /** Gives up waiting for records that are late. */
  sweep(): void {
    const before = performance.now() - lateMs
    for (const { since, judged } of this.#unread.values())
      if (since < before) judged.reject(new Error('the log does not show what was appended to it'))
  }

  /** Rejects all waiting appends, because the reading has ended. */
  end(error: unknown): void {
    this.#ended = error
    for (const { judged } of this.#unread.values()) judged.reject(error)
  }
}
