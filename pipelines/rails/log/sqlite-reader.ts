/** One follower or watcher of a topic in the SQLite log. */
import type { Handle, LogPosition, Received, Watching } from './log.ts'
import { ReadProgress } from './progress.ts'
import type { Tail } from './tail.ts'

export interface SqliteReading {
  tail: Tail
  handle: Handle
  /** Returns where to begin. Called when the reader's turn has come. */
  begin(): Promise<bigint>
  /** Reads from this offset on. `next` is the offset to continue from, even if there are no records. */
  read(from: bigint): Promise<{ records: Received[]; next: bigint }>
  commit(next: bigint): Promise<void>
  /** Whether it is this reader's turn. Called again each time the tail wakes. */
  turn(reader: SqliteReader): boolean
  onEnd(reader: SqliteReader, error?: unknown): void
}

export class SqliteReader implements Watching {
  readonly ended: Promise<void>
  readonly caughtUp: Promise<void>
  readonly #reading: SqliteReading
  readonly #progress = new ReadProgress()
  #closing = false

  constructor(reading: SqliteReading) {
    this.#reading = reading
    this.caughtUp = this.reached(new Map([[0, reading.tail.end]]))
    this.ended = this.#run()
    // A later `await` still gets the rejection. `onEnd` has already heard of it.
    this.caughtUp.catch(() => {})
    this.ended.catch(() => {})
  }

  reached(position: LogPosition): Promise<void> {
    return this.#progress.reached(position)
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#reading.tail.wake()
    await this.ended.catch(() => {})
  }

  async #run(): Promise<void> {
    // The call that made the reader returns before the first record arrives.
    await new Promise(resolve => setImmediate(resolve))
    try {
      await this.#loop()
      this.#progress.end(new Error('the reader is closed'))
      this.#reading.onEnd(this)
    } catch (error) {
      this.#progress.end(error)
      this.#reading.onEnd(this, error)
      throw error
    }
  }

  async #loop(): Promise<void> {
    const { tail, handle, begin, read, commit, turn } = this.#reading
    while (!this.#closing && !turn(this)) await tail.change()
    if (this.#closing) return
    let next = await begin()
    while (!this.#closing) {
      this.#progress.advance(0, next)
      if (next >= tail.end) {
        await tail.change()
        continue
      }
      const recent = tail.from(next)
      const batch = recent ? { records: recent, next: next + BigInt(recent.length) } : await read(next)
      if (batch.records.length > 0) await handle(batch.records)
      await commit(batch.next)
      next = batch.next
    }
    this.#progress.advance(0, next)
  }
}
