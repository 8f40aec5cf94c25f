/** One member of a group that reads a Kafka topic. */
import type { Message } from './kafka-records.ts'
import { type BatchLimits, batchEnd, type Following, type Handle, type Received } from './log.ts'

/** The part of a kafkajs batch that this file uses. Its messages are those that kafka-records.ts has read. */
export interface Delivery {
  batch: {
    topic: string
    partition: number
    messages: Message[]
  }
  heartbeat(): Promise<void>
  resolveOffset(offset: string): void
  commitOffsetsIfNecessary(offsets: {
    topics: { topic: string; partitions: { partition: number; offset: string }[] }[]
  }): Promise<void>
  isStale(): boolean
}

interface Reading {
  handle: Handle
  most: BatchLimits
  heartbeatMs: number
  leave(): Promise<void>
  onEnd(reader: KafkaReader, error?: unknown): void
}

export class KafkaReader implements Following {
  readonly ended: Promise<void>
  readonly #reading: Reading
  readonly #end = Promise.withResolvers<void>()
  #failed = false
  #closing: Promise<void> | undefined

  constructor(reading: Reading) {
    this.#reading = reading
    this.ended = this.#end.promise
    // A later `await` still gets the rejection. `onEnd` has already heard of it.
    this.ended.catch(() => {})
  }

  get isOver(): boolean {
    return this.#failed || this.#closing !== undefined
  }

  /** Cuts Kafka's records into batches. Errors of the rail go back to kafkajs, which tries again. */
  async take({
    batch,
    heartbeat,
    resolveOffset,
    commitOffsetsIfNecessary,
    isStale,
  }: Delivery): Promise<void> {
    const { topic, partition } = batch
    const { handle, most, heartbeatMs } = this.#reading
    const records = batch.messages.map(message => received(topic, partition, message))
    // The group counts a silent member as dead, even if it is only busy.
    const beating = setInterval(() => void heartbeat().catch(() => {}), heartbeatMs)
    try {
      for (let start = 0; start < records.length && !this.isOver && !isStale(); ) {
        const end = batchEnd(records, start, most)
        const part = records.slice(start, end)
        if (!(await this.#handled(handle, part))) return
        const last = (part.at(-1) as Received).offset
        await commitOffsetsIfNecessary({
          topics: [{ topic, partitions: [{ partition, offset: String(last + 1n) }] }],
        })
        resolveOffset(String(last))
        start = end
      }
    } finally {
      clearInterval(beating)
    }
  }

  /** Ends for good. */
  #fail(error: unknown): void {
    if (this.isOver) return
    this.#failed = true
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
    this.#end.resolve()
    if (!this.#failed) this.#reading.onEnd(this)
  }

  async #handled(handle: Handle, records: readonly Received[]): Promise<boolean> {
    try {
      await handle(records)
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }
}

export const received = (
  topic: string,
  partition: number,
  { offset, timestamp, key, value, headers }: Message,
): Received => ({
  topic,
  partition,
  offset: BigInt(offset),
  at: Number(timestamp),
  key: key ?? '',
  value,
  ...(headers?.traceparent !== undefined && { traceparent: String(headers.traceparent) }),
})
