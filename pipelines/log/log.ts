/** The Log: durable ordered topics. Kafka in a cluster, SQLite on one machine, one contract. */
import type { Topic } from '../../schemas/dataset.ts'

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

export interface Following {
  /** Rejects when the handler threw or the rail broke for good; resolves after close. */
  ended: Promise<void>
  /** Lets the batch in hand finish and commit, then resolves. */
  close(): Promise<void>
}

export interface Watching extends Following {
  /** Resolves once everything that stood in the topic when the watch began has been handled. */
  caughtUp: Promise<void>
  /** Resolves once everything before this position has been handled. */
  reached(position: Position): Promise<void>
}

export type Handle = (batch: readonly Received[]) => Promise<void> | void

export interface Log {
  /** Resolves only when every entry would survive a power cut; rejects if that cannot be had. */
  append(topic: Topic, entries: readonly Entry[]): Promise<void>
  /** Batches in key order, shared among the processes of a group; commits after `handle` resolves. */
  follow(topic: Topic, group: string, handle: Handle): Promise<Following>
  /** Every instance sees all of it, from the beginning, and goes on. */
  watch(topic: Topic, handle: Handle): Promise<Watching>
  end(topic: Topic): Promise<Position>
  /** Records that a group has not committed yet. */
  lag(topic: Topic, group: string): Promise<number>
  close(): Promise<void>
}

/**
 * The place of a record as one number that grows: log time first, offset to break ties. Time leads so that facts
 * in a fresh log still outrank what an older one left in the store.
 */
export const versionOf = (record: Pick<Received, 'at' | 'offset'>): bigint =>
  (BigInt(record.at) << 22n) | (record.offset & 0x3fffffn)
