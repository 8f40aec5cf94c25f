/** The Log: durable ordered topics. Kafka in a cluster, SQLite on one machine, one contract. */
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { offsetBits } from '../../../schemas/dataset/version.ts'
import type { Running } from '../running.ts'

export interface Entry {
  key: string
  /** Null deletes the key from a compacted topic. */
  value: string | null
  /** The trace of the entry. Only Kafka carries it; within one process it is known anyway. */
  headers?: { traceparent: string }
}

export interface Received {
  topic: string
  partition: number
  offset: bigint
  /** The time of the append, by the log's clock. */
  at: number
  key: string
  value: string | null
  traceparent?: string
}

/** The offset after the last record of each partition. */
export type LogPosition = ReadonlyMap<number, bigint>

/** Fails if its handler throws or the rail breaks for good. It closes after the current batch is handled and committed. */
export interface Following extends Running {
  readonly ended: Promise<void>
}

export interface Watching extends Following {
  /** Resolves once the watch has handled every record that the topic held at its start. */
  caughtUp: Promise<void>
  /** Resolves once the watch has handled every record before this position. */
  reached(position: LogPosition): Promise<void>
}

export interface WatchOptions {
  /**
   * 'end': the watch sees only records that are appended after `watch` has resolved. A position: it sees every kept
   * record from there on. A position that this log has not reached belongs to another log, so the watch starts at the
   * beginning.
   */
  from?: 'beginning' | 'end' | LogPosition
}

export interface FollowOptions {
  /** The limit of one batch where the handler works better with many records. A log may hand over less at once. */
  most?: BatchLimits
}

export type Handle = (batch: readonly Received[]) => Promise<void> | void

/** What only an operator asks: whether the log itself is well. */
export interface LogCondition {
  /** Those that should hold copies of this process's topics, and those of them that are there. Undefined: there are no brokers. */
  brokers?: { known: number; present: number }
  /** By topic: partitions with a copy that is not up to date, and those that nobody leads, so that nothing can be appended. */
  partitions: readonly { topic: string; behind: number; leaderless: number }[]
  /** The disk under a log of one file. Undefined: brokers keep the records on theirs. */
  disk?: { used: number; free: number }
}

export interface Log {
  /** Whether this process is the only one that can append to it. */
  readonly isOwned: boolean
  /** Resolves when every entry would survive a power cut. Rejects if the log cannot guarantee that. */
  append(topic: Topic, entries: readonly Entry[]): Promise<void>
  /** The processes of a group share the batches, in key order. The log commits a batch after `handle` resolves. */
  follow(topic: Topic, group: string, handle: Handle, options?: FollowOptions): Promise<Following>
  /** Every instance sees every record, new ones too. It starts at the beginning unless `from` says otherwise. */
  watch(topic: Topic, handle: Handle, options?: WatchOptions): Promise<Watching>
  end(topic: Topic): Promise<LogPosition>
  /** Records that a group has not committed yet. */
  lag(topic: Topic, group: string): Promise<number>
  /** The same by partition. One that stays behind alone has a key, or a member of the group, that is stuck. */
  lags(topic: Topic, group: string): Promise<ReadonlyMap<number, number>>
  condition(): Promise<LogCondition>
  close(): Promise<void>
}

export interface LogOptions {
  /** Every topic that the process appends to or reads. The log creates the missing ones. */
  topics: readonly Topic[]
  /** Hears why a reader ended, and every error that the log survives. */
  onError?: (error: unknown) => void
  now?: () => number
}

export interface BatchLimits {
  records: number
  bytes: number
}

/** The limit of one batch, however far behind the reader is. A single record may be larger. */
export const batchLimits: BatchLimits = { records: 2000, bytes: 1 << 20 }

export const totalOf = (lags: ReadonlyMap<number, number>): number =>
  [...lags.values()].reduce((sum, lag) => sum + lag, 0)

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

/** The largest record that every log accepts: a Kafka message is 1 MB. */
const maxRecordBytes = 1_000_000

/** The record of an event in the topic of its dataset. */
export const entryOf = <Row>(dataset: { keyOf(row: Row): string }, row: Row): Entry => ({
  key: dataset.keyOf(row),
  value: JSON.stringify(row),
})

export const bytesOf = ({ key, value }: Entry): number =>
  Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(value))

export const fits = (entry: Entry): boolean => bytesOf(entry) <= maxRecordBytes

/** Returns where a batch that begins at `start` must end. */
export function batchEnd(records: readonly Entry[], start: number, most = batchLimits): number {
  let end = start
  for (let bytes = 0; end < records.length && end - start < most.records; end++) {
    bytes += bytesOf(records[end] as Entry)
    if (bytes > most.bytes && end > start) break
  }
  return end
}

/** Returns the total size of the entries. Throws if one of them is too large for the log. */
export function measured(topic: Topic, entries: readonly Entry[]): number {
  let bytes = 0
  for (const entry of entries) {
    const size = bytesOf(entry)
    if (size > maxRecordBytes)
      throw new Error(
        `${topic.name}: a record has ${size} bytes, but the log takes at most ${maxRecordBytes}`,
      )
    bytes += size
  }
  return bytes
}

/**
 * The place of a record as one number that grows: the log's time, then the offset to break ties. Time comes first so that
 * facts in a fresh log outrank those that an older log left in the store.
 */
export const versionOf = (record: Pick<Received, 'at' | 'offset'>): bigint =>
  (BigInt(record.at) << offsetBits) | (record.offset & ((1n << offsetBits) - 1n))
