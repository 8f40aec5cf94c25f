/** The newest records of a topic, in memory. A reader at the end of the topic reads them here, not from the file. */
import { batchEnd, batchLimits, bytesOf, type Received } from './log.ts'

export class Tail {
  readonly #waiting = new Set<() => void>()
  #records: Received[] = []
  #bytes = 0
  /** The offset that the next record gets. */
  end: bigint

  constructor(end: bigint) {
    this.end = end
  }

  /** The number of readers here. Without readers, no records are kept in memory. */
  readers = 0

  /** The log has records up to this offset, and nobody reads them. */
  skip(end: bigint): void {
    this.end = end
    this.#records = []
    this.#bytes = 0
    this.wake()
  }

  /** Takes durable records with consecutive offsets. */
  push(records: readonly Received[]): void {
    for (const record of records) {
      this.#records.push(record)
      this.#bytes += bytesOf(record)
      this.end = record.offset + 1n
    }
    this.#trim()
    this.wake()
  }

  /** Returns a batch that starts at this offset. Undefined: only the file still has it. */
  from(offset: bigint): Received[] | undefined {
    const first = this.#records[0]
    if (!first || offset < first.offset) return undefined
    const start = Number(offset - first.offset)
    return this.#records.slice(start, batchEnd(this.#records, start))
  }

  /** Resolves at the next `wake`. The caller then looks again. */
  change(): Promise<void> {
    return new Promise(resolve => this.#waiting.add(resolve))
  }

  wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  /** Cuts only at twice the limit, so that a cut costs little for each record. */
  #trim(): void {
    if (this.#records.length < 2 * batchLimits.records && this.#bytes < 2 * batchLimits.bytes) return
    let cut = 0
    while (this.#records.length - cut > batchLimits.records || this.#bytes > batchLimits.bytes) {
      this.#bytes -= bytesOf(this.#records[cut] as Received)
      cut++
    }
    this.#records = this.#records.slice(cut)
  }
}
