/** One follower or watcher of a topic in Kafka. */
import { batchEnd, type Handle, type Position, type Received, type Watching } from './log.ts'
import { Progress } from './progress.ts'

/** What is needed of a kafkajs batch and of its surroundings. */
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
  /** A follower commits what it handled; a watcher keeps count of it and is handed nothing twice. */
  commits: boolean
  heartbeatMs: number
  /** Where the topic begins and ends just now. */
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
    // Whoever looks at them later still gets the rejection; `onEnd` has told of it at once.
    this.caughtUp.catch(() => {})
    this.ended.catch(() => {})
  }

  get closing(): boolean {
    return this.#closing !== undefined
  }

  reached(position: Position): Promise<void> {
    return this.progress.reached(position)
  }

  /** What Kafka hands over at once is cut to batches. Errors of the rail go back to kafkajs, which retries. */
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
    // A group that hears nothing for long takes its member for dead, however busy that is.
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
