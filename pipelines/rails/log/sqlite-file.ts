/** A log in one SQLite file: a table for each topic, and the progress of each group. */
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { batchLimits, bytesOf, type Entry } from './log.ts'
import { Database } from './sqlite-database.ts'
import { compact, trim } from './sqlite-retention.ts'
import { insert, type LogTable, openTable } from './sqlite-table.ts'

export interface FileOptions {
  path: string
  topics: readonly Topic[]
  /** A topic that keeps its records for a time also drops the oldest ones beyond this size. */
  topicBytes: number
  /** The file never grows beyond this. The log refuses an append that needs more. */
  fileBytes: number | undefined
  /** The time that a compacted topic keeps the deletion of a key. */
  tombstoneMs: number
  /** After this time without a follower, a group no longer stops the log from dropping records. */
  groupMs: number
}

export interface Append {
  topic: string
  entries: readonly Entry[]
}
export interface Commit {
  topic: string
  group: string
  next: number
}
/** How fast the log grows old at most. After a stop it catches up, and a date that jumps drops nothing at once. */
const haste = 12

export type LogRow = { offset: number; at: number; key: string; value: string | null }

export class LogFile {
  readonly #db: Database
  readonly #options: FileOptions
  readonly #tables: Map<string, LogTable>
  #at: number
  /** The time by which records grow old. Zero: the log is new. */
  #aged: number

  constructor(options: FileOptions) {
    this.#options = options
    this.#db = new Database(options.path, options.fileBytes)
    this.#db.exec(`
      create table if not exists clock (at integer not null);
      insert into clock select 0 where not exists (select * from clock);
      create table if not exists aged (at integer not null);
      insert into aged select at from clock where not exists (select * from aged);
      create table if not exists topics (name text primary key, bytes integer not null, swept integer not null);
      create table if not exists groups (
        topic text, name text, next integer not null, seen_at integer not null, primary key (topic, name))`)
    this.#at = this.#db.number('select at as n from clock') ?? 0
    this.#aged = this.#db.number('select at as n from aged') ?? 0
    this.#tables = new Map(options.topics.map(topic => [topic.name, openTable(this.#db, topic)]))
  }

  ends(): Map<string, number> {
    return new Map([...this.#tables].map(([name, { end }]) => [name, end]))
  }

  /** Writes all of them in one commit. Time never runs backwards in the log, whatever the machine's clock does. */
  write(
    now: number,
    appends: readonly Append[],
    commits: readonly Commit[],
  ): { at: number; first: number[] } {
    const at = Math.max(now, this.#at)
    const grown = new Map<LogTable, { end: number; bytes: number }>()
    const first = this.#db.transaction(() => {
      const starts = appends.map(({ topic, entries }) => {
        const table = this.#of(topic)
        const { end, bytes } = grown.get(table) ?? table
        grown.set(table, { end: end + entries.length, bytes: bytes + insert(this.#db, table, at, entries) })
        return end
      })
      for (const [{ topic }, { bytes }] of grown)
        if (typeof topic.keep === 'object')
          this.#db.run('update topics set bytes = ? where name = ?', bytes, topic.name)
      for (const { topic, group, next } of commits)
        this.#db.run(
          'update groups set next = ?, seen_at = ? where topic = ? and name = ?',
          next,
          at,
          topic,
          group,
        )
      this.#db.run('update clock set at = ?', at)
      if (this.#aged === 0) this.#db.run('update aged set at = ?', at)
      return starts
    })
    for (const [table, size] of grown) Object.assign(table, size)
    this.#at = at
    if (this.#aged === 0) this.#aged = at
    return { at, first }
  }

  /** Reads a batch from this offset on. `next` is the offset after it. */
  read(topic: string, from: number): { rows: LogRow[]; next: number } {
    const { name, end } = this.#of(topic)
    const sql = `select "offset", at, key, value from ${name} where "offset" >= ? order by "offset" limit ?`
    const rows: LogRow[] = []
    let bytes = 0
    for (const row of this.#db.each<LogRow>(sql, from, batchLimits.records)) {
      bytes += bytesOf(row)
      if (bytes > batchLimits.bytes && rows.length > 0) return { rows, next: row.offset }
      rows.push(row)
    }
    const last = rows.at(-1)
    return { rows, next: last && rows.length === batchLimits.records ? last.offset + 1 : end }
  }

  /** Returns the offset where the group continues. From now on the log keeps what this group has not committed. */
  join(topic: string, group: string, now: number): number {
    this.#of(topic)
    this.#db.run(
      'insert into groups values (?, ?, 1, ?) on conflict do update set seen_at = excluded.seen_at',
      topic,
      group,
      now,
    )
    return this.#next(topic, group)
  }

  lag(topic: string, group: string): number {
    const { name, end } = this.#of(topic)
    const oldest = this.#db.number(`select min("offset") as n from ${name}`) ?? end
    return end - Math.max(this.#next(topic, group), oldest)
  }

  /**
   * Drops some of the records that it may drop. True: there are more. `live` are the groups with a follower. `passedMs` has
   * passed since the last sweep, by a clock that nobody turns.
   */
  sweep(now: number, passedMs: number, live: readonly { topic: string; group: string }[]): boolean {
    const { groupMs, tombstoneMs, topicBytes } = this.#options
    for (const { topic, group } of live) this.join(topic, group, now)
    const at = this.#grow(now, passedMs)
    this.#db.run('delete from groups where seen_at < ?', at - groupMs)
    let more = false
    for (const table of this.#tables.values()) {
      const { name, keep } = table.topic
      if (keep === 'forever') continue
      const floor = this.#db.number('select min(next) as n from groups where topic = ?', name) ?? table.end
      const left =
        keep === 'newest'
          ? compact(this.#db, table, floor, at - tombstoneMs)
          : trim(this.#db, table, floor, at - keep.ms, topicBytes)
      more ||= left
    }
    return more
  }

  close(): void {
    this.#db.close()
  }

  /** A date alone is no proof that time has passed. */
  #grow(now: number, passedMs: number): number {
    const aged = Math.max(this.#aged, Math.min(now, Math.floor(this.#aged + haste * passedMs)))
    if (aged !== this.#aged) this.#db.run('update aged set at = ?', aged)
    this.#aged = aged
    return Math.min(now, aged)
  }

  #of(topic: string): LogTable {
    const table = this.#tables.get(topic)
    if (!table) throw new Error(`${topic}: the log was not opened with this topic`)
    return table
  }

  #next(topic: string, group: string): number {
    return this.#db.number('select next as n from groups where topic = ? and name = ?', topic, group) ?? 1
  }
}
