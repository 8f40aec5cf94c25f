/** The SQL of a log kept in one SQLite file: a table per topic, the offsets of its groups, what may be forgotten. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Topic } from '../../schemas/dataset.ts'
import { batchLimits, type Entry } from './log.ts'

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

interface Table {
  topic: Topic
  end: number
  /** What stands in it, counted for topics that have a size to keep to. */
  bytes: number
  /** Compaction has been up to here. */
  swept: number
  insert: StatementSync
  read: StatementSync
  oldest: StatementSync
}

const rowsPerSweep = 2000
const size = 'octet_length(key) + coalesce(octet_length(value), 0)'
const quoted = (topic: Topic) => `"topic:${topic.name}"`

export class LogFile {
  readonly #db: DatabaseSync
  readonly #options: FileOptions
  readonly #tables = new Map<string, Table>()
  #at: number

  constructor(options: FileOptions) {
    this.#options = options
    this.#db = new DatabaseSync(options.path)
    this.#own()
    this.#db.exec(`
      create table if not exists clock (at integer not null);
      insert into clock select 0 where not exists (select * from clock);
      create table if not exists topics (name text primary key, bytes integer not null, swept integer not null);
      create table if not exists groups (
        topic text, name text, next integer not null, seen_at integer not null, primary key (topic, name))`)
    this.#at = (this.#db.prepare('select at from clock').get() as { at: number }).at
    for (const topic of options.topics) this.#tables.set(topic.name, this.#table(topic))
  }

  /** Exclusive, so that a second process is turned away and not half served. */
  #own(): void {
    try {
      this.#db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; begin immediate; commit')
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 5) throw error
      throw new Error(`the log ${this.#options.path} is in use by another process`)
    }
    this.#db.exec('pragma synchronous = full; pragma journal_size_limit = 67108864')
    if (this.#options.fileBytes === undefined) return
    const { page_size } = this.#db.prepare('pragma page_size').get() as { page_size: number }
    this.#db.exec(`pragma max_page_count = ${Math.floor(this.#options.fileBytes / page_size)}`)
  }

  #table(topic: Topic): Table {
    const name = quoted(topic)
    this.#db.exec(`create table if not exists ${name} (
      "offset" integer primary key autoincrement, at integer not null, key text not null, value text)`)
    if (topic.keep === 'newest')
      this.#db.exec(`create index if not exists "key:${topic.name}" on ${name} (key);
        create index if not exists "gone:${topic.name}" on ${name} (at) where value is null`)
    this.#db.prepare('insert or ignore into topics values (?, 0, 0)').run(topic.name)
    const kept = this.#db.prepare('select bytes, swept from topics where name = ?').get(topic.name)
    const last = this.#db.prepare('select seq from sqlite_sequence where name = ?').get(`topic:${topic.name}`)
    return {
      ...(kept as { bytes: number; swept: number }),
      topic,
      end: Number(last?.seq ?? 0) + 1,
      insert: this.#db.prepare(`insert into ${name} (at, key, value) values (?, ?, ?)`),
      read: this.#db.prepare(
        `select "offset", at, key, value from ${name} where "offset" >= ? order by "offset" limit ?`,
      ),
      oldest: this.#db.prepare(
        `select "offset", at, ${size} as size from ${name} order by "offset" limit ${rowsPerSweep}`,
      ),
    }
  }

  ends(): Map<string, number> {
    return new Map([...this.#tables].map(([name, { end }]) => [name, end]))
  }

  /** One transaction, one fsync. Time never runs backwards in the log, whatever the machine's clock does. */
  write(
    now: number,
    appends: readonly Append[],
    commits: readonly Commit[],
  ): { at: number; first: number[] } {
    const at = Math.max(now, this.#at)
    const grown = new Map<Table, { end: number; bytes: number }>()
    const first = this.#transaction(() => {
      const starts = appends.map(({ topic, entries }) => {
        const table = this.#of(topic)
        const { end, bytes } = grown.get(table) ?? table
        let added = 0
        for (const { key, value } of entries) {
          table.insert.run(at, key, value)
          added += Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(value))
        }
        grown.set(table, { end: end + entries.length, bytes: bytes + added })
        return end
      })
      for (const [table, { bytes }] of grown)
        if (typeof table.topic.keep === 'object') this.#mark(table, bytes, table.swept)
      for (const { topic, group, next } of commits)
        this.#run(
          'update groups set next = ?, seen_at = ? where topic = ? and name = ?',
          next,
          at,
          topic,
          group,
        )
      this.#run('update clock set at = ?', at)
      return starts
    })
    for (const [table, now] of grown) Object.assign(table, now)
    this.#at = at
    return { at, first }
  }

  /** A batch from this offset on, and the offset to go on from. */
  read(topic: string, from: number): { rows: Row[]; next: number } {
    const table = this.#of(topic)
    const rows: Row[] = []
    let bytes = 0
    for (const row of table.read.iterate(from, batchLimits.records) as Iterable<Row>) {
      bytes += Buffer.byteLength(row.key) + (row.value === null ? 0 : Buffer.byteLength(row.value))
      if (bytes > batchLimits.bytes && rows.length > 0) return { rows, next: row.offset }
      rows.push(row)
    }
    const last = rows.at(-1)
    return { rows, next: last && rows.length === batchLimits.records ? last.offset + 1 : table.end }
  }

  /** Makes the group known, which from now on holds back what it has not committed; tells where it goes on. */
  join(topic: string, group: string, now: number): number {
    this.#run('insert or ignore into groups values (?, ?, 1, ?)', topic, group, now)
    this.#run('update groups set seen_at = ? where topic = ? and name = ?', now, topic, group)
    return this.#next(topic, group)
  }

  lag(topic: string, group: string): number {
    const table = this.#of(topic)
    const oldest = this.#get(`select min("offset") as n from ${quoted(table.topic)}`) ?? table.end
    return table.end - Math.max(this.#next(topic, group), oldest)
  }

  /** Forgets a little of what may be forgotten; true while there is more. `live` are the groups being followed. */
  sweep(now: number, live: readonly { topic: string; group: string }[]): boolean {
    const { groupMs, tombstoneMs } = this.#options
    for (const { topic, group } of live)
      this.#run('update groups set seen_at = ? where topic = ? and name = ?', now, topic, group)
    this.#run('delete from groups where seen_at < ?', now - groupMs)
    let more = false
    for (const table of this.#tables.values()) {
      const { name, keep } = table.topic
      if (keep === 'forever') continue
      const floor = this.#get('select min(next) as n from groups where topic = ?', name) ?? table.end
      const swept =
        keep === 'newest'
          ? this.#compact(table, floor, now - tombstoneMs)
          : this.#trim(table, floor, now - keep.ms)
      more ||= swept
    }
    return more
  }

  close(): void {
    this.#db.close()
  }

  /** By age and by size, oldest first, never past what a group still has to read. */
  #trim(table: Table, floor: number, before: number): boolean {
    let last = 0
    let { bytes } = table
    for (const row of table.oldest.iterate() as Iterable<{ offset: number; at: number; size: number }>) {
      if (row.offset >= floor || (row.at >= before && bytes <= this.#options.topicBytes)) break
      last = row.offset
      bytes -= row.size
    }
    if (last === 0) return false
    this.#transaction(() => {
      this.#run(`delete from ${quoted(table.topic)} where "offset" <= ?`, last)
      this.#mark(table, bytes, table.swept)
    })
    table.bytes = bytes
    return true
  }

  /** Only what every group has read makes older records of its key go. */
  #compact(table: Table, floor: number, tombstonesBefore: number): boolean {
    const name = quoted(table.topic)
    const to = Math.min(floor, table.swept + rowsPerSweep)
    const newest = this.#db
      .prepare(
        `select key, max("offset") as newest from ${name} where "offset" >= ? and "offset" < ? group by key`,
      )
      .all(table.swept, to)
    this.#transaction(() => {
      const forget = this.#db.prepare(`delete from ${name} where key = ? and "offset" < ?`)
      for (const { key, newest: offset } of newest as { key: string; newest: number }[])
        forget.run(key, offset)
      this.#run(`delete from ${name} where value is null and at < ? and "offset" < ?`, tombstonesBefore, to)
      this.#mark(table, table.bytes, to)
    })
    table.swept = to
    return to < floor
  }

  #of(topic: string): Table {
    const table = this.#tables.get(topic)
    if (!table) throw new Error(`${topic}: the log was not opened with this topic`)
    return table
  }

  #next(topic: string, group: string): number {
    return this.#get('select next as n from groups where topic = ? and name = ?', topic, group) ?? 1
  }

  #mark(table: Table, bytes: number, swept: number): void {
    this.#run('update topics set bytes = ?, swept = ? where name = ?', bytes, swept, table.topic.name)
  }

  #get(sql: string, ...values: (string | number)[]): number | undefined {
    return (this.#statement(sql).get(...values) as { n: number | null } | undefined)?.n ?? undefined
  }

  #run(sql: string, ...values: (string | number)[]): void {
    this.#statement(sql).run(...values)
  }

  readonly #statements = new Map<string, StatementSync>()
  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec('begin')
    try {
      const result = work()
      this.#db.exec('commit')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw error
    }
  }
}
