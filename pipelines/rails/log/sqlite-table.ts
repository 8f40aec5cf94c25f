/** The table of one topic in the SQLite log. */
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { bytesOf, type Entry } from './log.ts'
import type { Database } from './sqlite-database.ts'

export interface LogTable {
  topic: Topic
  /** Quoted for SQL. */
  name: string
  end: number
  /** The size of its records. The log counts it only for topics with a limit of size. */
  bytes: number
  /** The offset up to which compaction has come. */
  swept: number
}

/** Quoted for SQL. */
export const tableOf = (topic: Topic): string => `"topic:${topic.name}"`

export function openTable(db: Database, topic: Topic): LogTable {
  const name = tableOf(topic)
  db.exec(`create table if not exists ${name} (
    "offset" integer primary key autoincrement, at integer not null, key text not null, value text)`)
  if (topic.keep === 'newest')
    db.exec(`
      create index if not exists "key:${topic.name}" on ${name} (key);
      create index if not exists "gone:${topic.name}" on ${name} (at) where value is null`)
  db.run('insert or ignore into topics values (?, 0, 0)', topic.name)
  const [kept] = db.all<{ bytes: number; swept: number }>(
    'select bytes, swept from topics where name = ?',
    topic.name,
  )
  const last = db.number('select seq as n from sqlite_sequence where name = ?', `topic:${topic.name}`) ?? 0
  return { bytes: 0, swept: 0, ...kept, topic, name, end: last + 1 }
}

/** Returns the size of the inserted records. */
export function insert(db: Database, { name }: LogTable, at: number, entries: readonly Entry[]): number {
  const statement = db.statement(`insert into ${name} (at, key, value) values (?, ?, ?)`)
  let bytes = 0
  for (const entry of entries) {
    statement.run(at, entry.key, entry.value)
    bytes += bytesOf(entry)
  }
  return bytes
}
