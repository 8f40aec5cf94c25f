/** Drops old records of the SQLite log, a few at a time. Every group has read the records before the offset `floor`. */
import type { Database } from './sqlite-database.ts'
import type { LogTable } from './sqlite-table.ts'

const rowsAtOnce = 2000
const size = 'octet_length(key) + coalesce(octet_length(value), 0)'

/** Drops by age and by size, the oldest first. True: there may be more. */
export function trim(
  db: Database,
  table: LogTable,
  floor: number,
  before: number,
  topicBytes: number,
): boolean {
  let last = 0
  let { bytes } = table
  const oldest = db.each<{ offset: number; at: number; size: number }>(
    `select "offset", at, ${size} as size from ${table.name} order by "offset" limit ${rowsAtOnce}`,
  )
  for (const row of oldest) {
    if (row.offset >= floor || (row.at >= before && bytes <= topicBytes)) break
    last = row.offset
    bytes -= row.size
  }
  if (last === 0) return false
  db.transaction(() => {
    db.run(`delete from ${table.name} where "offset" <= ?`, last)
    db.run('update topics set bytes = ? where name = ?', bytes, table.topic.name)
  })
  table.bytes = bytes
  return true
}

/** A record that every group has read replaces the older records of its key. True: there are more. */
export function compact(db: Database, table: LogTable, floor: number, tombstonesBefore: number): boolean {
  const { name, topic } = table
  const to = Math.min(floor, table.swept + rowsAtOnce)
  const newest = db.all<{ key: string; n: number }>(
    `select key, max("offset") as n from ${name} where "offset" >= ? and "offset" < ? group by key`,
    table.swept,
    to,
  )
  db.transaction(() => {
    for (const { key, n } of newest) db.run(`delete from ${name} where key = ? and "offset" < ?`, key, n)
    db.run(`delete from ${name} where value is null and at < ? and "offset" < ?`, tombstonesBefore, to)
    db.run('update topics set swept = ? where name = ?', to, topic.name)
  })
  table.swept = to
  return to < floor
}
