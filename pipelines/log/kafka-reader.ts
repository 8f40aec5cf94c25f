/** One follower or watcher of a topic in Kafka. */
import { batchEnd, type Handle, type Position, type Received, type Watching } from './log.ts'
import { Progress } from './progress.ts'

/** The part of a kafkajs batch and its surroundings that is used. */
export interface Delivery {
  batch: {
    topic: string
    partition: number
    messages: { offset: string; timestamp: string; key: Buffer | null; value: Buffer | null }[]
  }
  heartbeat(): Promise<void>
  resolveOffset(offset: string): void
  commitOffsetsIfNecessary(offsets: {
    topics: { topic: string; partitions: { partition: number; offset: string }[] }[]
  }): Promise<void>
  isStale(): boolean
}

export interface Reading {
  handle: Handle
  /** A follower commits what it handled. A watcher only counts it, so that it is handed nothing twice. */
  commits: boolean
  heartbeatMs: number
  /** Where the topic begins and ends now. */
  begin: Position
  end: Position
  leave(): Promise<void>
  onEnd(reader: KafkaReader, error?: unknown): void
}

export class KafkaReader implements Watching {
  readonly ended: Promise<void>
  readonly caughtUp: Promise<void>
  readonly progress = new Progress()
  readonly #reading: Reading
  readonly #end = Promise.withResolvers<void>()
  #failed = false
  #closing: Promise<void> | undefined

  constructor(reading: Reading) {
    this.#reading = reading
    for (const [partition, offset] of reading.begin) this.progress.advance(partition, offset)
    this.caughtUp = this.reached(reading.end)
    this.ended = this.#end.promise
    // Whoever awaits them later still gets the rejection. `onEnd` has heard of it at once.
    this.caughtUp.catch(() => {})
    this.ended.catch(() => {})
  }

  get closing(): boolean {
    return this.#closing !== undefined
  }

  reached(position: Position): Promise<void> {
    return this.progress.reached(position)
  }

  /** Cuts what Kafka hands over into batches. Errors of the rail go back to kafkajs, which tries again. */
  async take({
    batch,
    heartbeat,
    resolveOffset,
    commitOffsetsIfNecessary,
    isStale,
  }: Delivery): Promise<void> {
    const { topic, partition } = batch
    const { handle, commits, heartbeatMs } = this.#reading
    const records = batch.messages.map(message => received(topic, partition, message))
    const known = commits ? 0 : records.filter(({ offset }) => offset < this.progress.at(partition)).length
    if (known > 0) resolveOffset(String(records[known - 1]?.offset))
    // A group takes a silent member for dead, however busy it is.
    const beating = setInterval(() => void heartbeat().catch(() => {}), heartbeatMs)
    try {
      for (let start = known; start < records.length && !this.#failed && !this.closing && !isStale(); ) {
        const end = batchEnd(records, start)
        const part = records.slice(start, end)
        if (!(await this.#handled(handle, part))) return
        const last = (part.at(-1) as Received).offset
        const next = last + 1n
        if (commits)
          await commitOffsetsIfNecessary({
            topics: [{ topic, partitions: [{ partition, offset: String(next) }] }],
          })
        resolveOffset(String(last))
        this.progress.advance(partition, next)
        start = end
      }
    } finally {
      clearInterval(beating)
    }
  }

  /** Ends for good. */
  fail(error: unknown): void {
    if (this.#failed || this.closing) return
    this.#failed = true
    this.progress.end(error)
    this.#end.reject(error)
    this.#reading.onEnd(this, error)
    void this.#reading.leave()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#reading.leave()
    this.progress.end(new Error('the reader is closed'))
    this.#end.resolve()
    if (!this.#failed) this.#reading.onEnd(this)
  }

  async #handled(handle: Handle, records: readonly Received[]): Promise<boolean> {
    try {
      await handle(records)
      return true
    } catch (error) {
      this.fail(error)
      return false
    }
  }
}

const received = (
  topic: string,
  partition: number,
  { offset, timestamp, key, value }: Delivery['batch']['messages'][number],
): Received => ({
  topic,
  partition,
  offset: BigInt(offset),
  at: Number(timestamp),
  key: key?.toString() ?? '',
  value: value?.toString() ?? null,
})
