/** A log kept in one SQLite file: a table per topic, and the offsets of its groups. */
import type { Topic } from '../../schemas/dataset.ts'
import { batchLimits, bytesOf, type Entry } from './log.ts'
import { Database } from './sqlite-database.ts'
import { compact, trim } from './sqlite-retention.ts'

export interface FileOptions {
  path: string
  topics: readonly Topic[]
  /** A topic that forgets by age also forgets its oldest records beyond this size. */
  topicBytes: number
  /** The file never grows beyond this; an append that would make it is refused. */
  fileBytes: number | undefined
  /** How long a compacted topic still tells that a key was deleted. */
  tombstoneMs: number
  /** A group that nobody has followed for so long holds nothing back any more. */
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
export type Row = { offset: number; at: number; key: string; value: string | null }

export interface Table {
  topic: Topic
  name: string
  end: number
  /** What stands in it, counted for topics that have a size to keep to. */
  bytes: number
  /** Compaction has been up to here. */
  swept: number
}

export class LogFile {
  readonly #db: Database
  readonly #options: FileOptions
  readonly #tables: Map<string, Table>
  #at: number

  constructor(options: FileOptions) {
    this.#options = options
    this.#db = new Database(options.path, options.fileBytes)
    this.#db.exec(`
      create table if not exists clock (at integer not null);
      insert into clock select 0 where not exists (select * from clock);
      create table if not exists topics (name text primary key, bytes integer not null, swept integer not null);
      create table if not exists groups (
        topic text, name text, next integer not null, seen_at integer not null, primary key (topic, name))`)
    this.#at = this.#db.number('select at as n from clock') ?? 0
    this.#tables = new Map(options.topics.map(topic => [topic.name, this.#table(topic)]))
  }

  ends(): Map<string, number> {
    return new Map([...this.#tables].map(([name, { end }]) => [name, end]))
  }

  /** One commit for all of them. Time never runs backwards in the log, whatever the machine's clock does. */
  write(
    now: number,
    appends: readonly Append[],
    commits: readonly Commit[],
  ): { at: number; first: number[] } {
    const at = Math.max(now, this.#at)
    const grown = new Map<Table, { end: number; bytes: number }>()
    const first = this.#db.transaction(() => {
      const starts = appends.map(({ topic, entries }) => {
        const table = this.#of(topic)
        const { end, bytes } = grown.get(table) ?? table
        grown.set(table, { end: end + entries.length, bytes: bytes + this.#insert(table, at, entries) })
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
      return starts
    })
    for (const [table, size] of grown) Object.assign(table, size)
    this.#at = at
    return { at, first }
  }

  /** A batch from this offset on, and the offset to go on from. */
  read(topic: string, from: number): { rows: Row[]; next: number } {
    const { name, end } = this.#of(topic)
    const sql = `select "offset", at, key, value from ${name} where "offset" >= ? order by "offset" limit ?`
    const rows: Row[] = []
    let bytes = 0
    for (const row of this.#db.each<Row>(sql, from, batchLimits.records)) {
      bytes += bytesOf(row)
      if (bytes > batchLimits.bytes && rows.length > 0) return { rows, next: row.offset }
      rows.push(row)
    }
    const last = rows.at(-1)
    return { rows, next: last && rows.length === batchLimits.records ? last.offset + 1 : end }
  }

  /** Makes the group known, which from now on holds back what it has not committed; tells where it goes on. */
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

  /** Forgets a little of what may be forgotten; true while there is more. `live` are the groups being followed. */
  sweep(now: number, live: readonly { topic: string; group: string }[]): boolean {
    const { groupMs, tombstoneMs, topicBytes } = this.#options
    for (const { topic, group } of live) this.join(topic, group, now)
    this.#db.run('delete from groups where seen_at < ?', now - groupMs)
    let more = false
    for (const table of this.#tables.values()) {
      const { name, keep } = table.topic
      if (keep === 'forever') continue
      const floor = this.#db.number('select min(next) as n from groups where topic = ?', name) ?? table.end
      const left =
        keep === 'newest'
          ? compact(this.#db, table, floor, now - tombstoneMs)
          : trim(this.#db, table, floor, now - keep.ms, topicBytes)
      more ||= left
    }
    return more
  }

  close(): void {
    this.#db.close()
  }

  #table(topic: Topic): Table {
    const name = `"topic:${topic.name}"`
    this.#db.exec(`create table if not exists ${name} (
      "offset" integer primary key autoincrement, at integer not null, key text not null, value text)`)
    if (topic.keep === 'newest')
      this.#db.exec(`
        create index if not exists "key:${topic.name}" on ${name} (key);
        create index if not exists "gone:${topic.name}" on ${name} (at) where value is null`)
    this.#db.run('insert or ignore into topics values (?, 0, 0)', topic.name)
    const [kept] = this.#db.all<{ bytes: number; swept: number }>(
      'select bytes, swept from topics where name = ?',
      topic.name,
    )
    const last =
      this.#db.number('select seq as n from sqlite_sequence where name = ?', `topic:${topic.name}`) ?? 0
    return { bytes: 0, swept: 0, ...kept, topic, name, end: last + 1 }
  }

  /** How many bytes it put there. */
  #insert({ name }: Table, at: number, entries: readonly Entry[]): number {
    const statement = this.#db.statement(`insert into ${name} (at, key, value) values (?, ?, ?)`)
    let bytes = 0
    for (const entry of entries) {
      statement.run(at, entry.key, entry.value)
      bytes += bytesOf(entry)
    }
    return bytes
  }

  #of(topic: string): Table {
    const table = this.#tables.get(topic)
    if (!table) throw new Error(`${topic}: the log was not opened with this topic`)
    return table
  }

  #next(topic: string, group: string): number {
    return this.#db.number('select next as n from groups where topic = ? and name = ?', topic, group) ?? 1
  }
}
