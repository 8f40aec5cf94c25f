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

/** Ends badly when its handler throws or the rail breaks for good. It closes once the batch in hand is handled and committed. */
export interface Following extends Running {
  readonly ended: Promise<void>
}

export interface Watching extends Following {
  /** Resolves once all that stood in the topic when the watch began is handled. */
  caughtUp: Promise<void>
  /** Resolves once all that stands before this position is handled. */
  reached(position: Position): Promise<void>
}

export interface WatchOptions {
  /**
   * 'end': nothing from before the call is seen, and all that is appended after `watch` has resolved. A position: all that
   * is kept from there on. A position of another log, which this one has not reached, is the beginning.
   */
  from?: 'beginning' | 'end' | Position
}

export type Handle = (batch: readonly Received[]) => Promise<void> | void

export interface Log {
  /** While it is open here, nobody else can append to it. */
  readonly isOwned: boolean
  /** Resolves when every entry would survive a power cut. Rejects when that cannot be had. */
  append(topic: Topic, entries: readonly Entry[]): Promise<void>
  /** The processes of a group share the batches, in key order. A batch is committed after `handle` resolves. */
  follow(topic: Topic, group: string, handle: Handle): Promise<Following>
  /** Every instance sees every record, from the beginning unless `from` says otherwise, and goes on. */
  watch(topic: Topic, handle: Handle, options?: WatchOptions): Promise<Watching>
  end(topic: Topic): Promise<Position>
  /** Records that a group has not committed yet. */
  lag(topic: Topic, group: string): Promise<number>
  close(): Promise<void>
}

export interface LogOptions {
  /** Every topic that will be appended to or read. A topic that is missing is created. */
  topics: readonly Topic[]
  /** Hears why a reader ended, and every error that the log survives. */
  onError?: (error: unknown) => void
  now?: () => number
}

/** A reader is handed no more than this at once, however far behind it is. A single record may be larger. */
export const batchLimits = { records: 2000, bytes: 1 << 20 }

/** Returns where in a partition a watch begins. */
export function startOf(
  from: WatchOptions['from'],
  partition: number,
  { begin, end }: { begin: bigint; end: bigint },
): bigint {
  if (from === 'end') return end
  if (from === undefined || from === 'beginning') return begin
  const asked = from.get(partition) ?? begin
  return asked < begin || asked > end ? begin : asked
}

/** The largest record that every log takes: a Kafka message is 1 MB. */
export const maxRecordBytes = 1_000_000

export const bytesOf = ({ key, value }: Entry): number =>
  Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(value))

/** Returns where a batch that begins at `start` must end. */
export function batchEnd(records: readonly Entry[], start: number): number {
  let end = start
  for (let bytes = 0; end < records.length && end - start < batchLimits.records; end++) {
    bytes += bytesOf(records[end] as Entry)
    if (bytes > batchLimits.bytes && end > start) break
  }
  return end
}

/** Returns the size of the entries together. Throws when one of them is too large for the log. */
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
 * The place of a record as one number that grows: the log's time, then the offset to break ties. Time comes first so that
 * facts in a fresh log outrank those that an older log left in the store.
 */
export const versionOf = (record: Pick<Received, 'at' | 'offset'>): bigint =>
  (BigInt(record.at) << 22n) | (record.offset & 0x3fffffn)
