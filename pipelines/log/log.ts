/** The Log: durable ordered topics. Kafka in a cluster, SQLite on one machine, one contract. */
import type { Topic } from '../../schemas/dataset.ts'
import type { Running } from '../running.ts'

export interface Entry {
  key: string
  /** null deletes the key from a compacted topic. */
  value: string | null
}

export interface Received {
  topic: string
  partition: number
  offset: bigint
  /** When the log took it, by the log's clock. */
  at: number
  key: string
  value: string | null
}

/** Per partition, the offset after the last record. */
export type Position = ReadonlyMap<number, bigint>

/** Ends badly when its handler threw or the rail broke for good; closes once the batch in hand is handled and committed. */
export interface Following extends Running {
  readonly ended: Promise<void>
}

export interface Watching extends Following {
  /** Resolves once everything that stood in the topic when the watch began has been handled. */
  caughtUp: Promise<void>
  /** Resolves once everything before this position has been handled. */
  reached(position: Position): Promise<void>
}

export interface WatchOptions {
  /** Only what is appended after `watch` has resolved is sure to be seen, and nothing from before it was called. */
  from?: 'beginning' | 'end'
}

export type Handle = (batch: readonly Received[]) => Promise<void> | void

export interface Log {
  /** Resolves only when every entry would survive a power cut; rejects if that cannot be had. */
  append(topic: Topic, entries: readonly Entry[]): Promise<void>
  /** Batches in key order, shared among the processes of a group; commits after `handle` resolves. */
  follow(topic: Topic, group: string, handle: Handle): Promise<Following>
  /** Every instance sees all of it, from the beginning unless told otherwise, and goes on. */
  watch(topic: Topic, handle: Handle, options?: WatchOptions): Promise<Watching>
  end(topic: Topic): Promise<Position>
  /** Records that a group has not committed yet. */
  lag(topic: Topic, group: string): Promise<number>
  close(): Promise<void>
}

export interface LogOptions {
  /** Every topic that will be appended to or read; what is missing is created. */
  topics: readonly Topic[]
  /** Told why a reader ended, and what was survived along the way. */
  onError?: (error: unknown) => void
  now?: () => number
}

/** No reader is handed more than this at once, however far behind it is (a single record may be larger). */
export const batchLimits = { records: 2000, bytes: 1 << 20 }

/** The largest record every log takes: a Kafka message is 1 MB. */
export const maxRecordBytes = 1_000_000

export const bytesOf = ({ key, value }: Entry): number =>
  Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(value))

/** Where a batch that begins at `start` has to end. */
export function batchEnd(records: readonly Entry[], start: number): number {
  let end = start
  for (let bytes = 0; end < records.length && end - start < batchLimits.records; end++) {
    bytes += bytesOf(records[end] as Entry)
    if (bytes > batchLimits.bytes && end > start) break
  }
  return end
}

/** The size of the entries together; throws where one of them is too large for the log. */
export function measured(topic: Topic, entries: readonly Entry[]): number {
  let bytes = 0
  for (const entry of entries) {
    const size = bytesOf(entry)
    if (size > maxRecordBytes)
      throw new Error(`${topic.name}: a record of ${size} bytes, the log takes ${maxRecordBytes}`)
    bytes += size
  }
  return bytes
}

/**
 * The place of a record as one number that grows: log time first, offset to break ties. Time leads so that facts
 * in a fresh log still outrank what an older one left in the store.
 */
export const versionOf = (record: Pick<Received, 'at' | 'offset'>): bigint =>
  (BigInt(record.at) << 22n) | (record.offset & 0x3fffffn)
