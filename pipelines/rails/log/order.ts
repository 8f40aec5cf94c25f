/**
 * The order of records: which of two is the later one. It decides which row of a key counts, in tables and in memory.
 *
 * Within a partition the place decides, and between partitions the time: a topic that gets more partitions has the
 * records of a key in two of them. The time is that of the broker that leads the partition. Its successor's clock may be
 * slow, so time never runs back within a partition.
 */
import { offsetBits } from '../../../schemas/dataset/version.ts'
import { type Received, versionOf } from './log.ts'

type Place = Pick<Received, 'partition' | 'offset' | 'at'>

export class Order {
  readonly #last = new Map<number, { time: number; offset: bigint }>()

  knows(partition: number): boolean {
    return this.#last.has(partition)
  }

  /** Another reader has come as far as this version. No further record of the partition has an older time. */
  begin(partition: number, version: bigint): void {
    this.#last.set(partition, { time: Number(version >> offsetBits), offset: -1n })
  }

  /**
   * The place of a record as one number, with a time that never runs back. Records that come again get no higher place than
   * those after them.
   */
  versionOf({ partition, offset, at }: Place): bigint {
    const last = this.#last.get(partition)
    let time = Math.max(at, last?.time ?? 0)
    // More records than the bits can number have the same time.
    if (last && time === last.time && offset > last.offset && wraps(last.offset, offset)) time++
    this.#last.set(partition, { time, offset })
    return versionOf({ at: time, offset })
  }
}

const wraps = (before: bigint, offset: bigint): boolean =>
  before >= 0n && offset >> offsetBits !== before >> offsetBits

/** Withdrawn keys whose last place is remembered. */
const mostWithdrawn = 100_000

/** Says of each record whether it is the newest one of its key so far. The topic of compacted records is read with it. */
export class Newest {
  readonly #order = new Order()
  readonly #versions = new Map<string, bigint>()
  readonly #withdrawn = new Set<string>()

  takes(record: Place & Pick<Received, 'key' | 'value'>): boolean {
    const { key, value } = record
    const version = this.#order.versionOf(record)
    if (version < (this.#versions.get(key) ?? 0n)) return false
    this.#versions.set(key, version)
    this.#withdrawn.delete(key)
    if (value === null) this.#withdraw(key)
    return true
  }

  #withdraw(key: string): void {
    this.#withdrawn.add(key)
    if (this.#withdrawn.size <= mostWithdrawn) return
    const [oldest = key] = this.#withdrawn
    this.#withdrawn.delete(oldest)
    this.#versions.delete(oldest)
  }
}
