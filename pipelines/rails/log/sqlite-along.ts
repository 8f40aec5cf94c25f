/** Reads a topic of a SQLite log while another process owns the file. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { batchEnd, batchLimits, type Handle, startOf, type WatchOptions } from './log.ts'
import type { LogRow } from './sqlite-file.ts'
import { tableOf } from './sqlite-table.ts'

const pollMs = 100
/** The longest time that the owner locks the file, when it starts and when it stops. */
const busyMs = 5_000

function openAlong(path: string): DatabaseSync {
  if (!existsSync(path)) throw new Error(`there is no log at ${path}`)
  return new DatabaseSync(path, { readOnly: true, timeout: busyMs })
}

/** Copies the log as it is at one moment, with the progress of its groups. */
export function copySqlite(path: string, target: string): void {
  const db = openAlong(path)
  try {
    db.prepare('vacuum into ?').run(target)
  } finally {
    db.close()
  }
}

export function readAlongSqlite(path: string, topic: Topic, handle: Handle, { from }: WatchOptions) {
  const db = openAlong(path)
  const table = tableOf(topic)
  if (!db.prepare("select 1 from sqlite_schema where ? = '\"' || name || '\"'").get(table)) {
    db.close()
    throw new Error(`the log at ${path} has no topic ${topic.name}`)
  }
  const batch = db.prepare(
    `select "offset", at, key, value from ${table} where "offset" >= ? order by "offset" limit ?`,
  )
  const newest = db.prepare(`select max("offset") as n from ${table}`).get() as { n: number | null }
  const end = BigInt(newest.n ?? 0) + 1n
  const start = startOf(from, 0, { begin: 1n, end })
  const counted = db.prepare(`select count(*) as n from ${table} where "offset" >= ?`).get(start)
  const closing = new AbortController()
  const caughtUp = Promise.withResolvers<void>()

  async function run(): Promise<void> {
    let next = Number(start)
    try {
      while (!closing.signal.aborted) {
        if (next >= end) caughtUp.resolve()
        const found = batch.all(next, batchLimits.records) as unknown as LogRow[]
        const rows = found.slice(0, batchEnd(found, 0))
        const last = rows.at(-1)
        if (last) {
          await handle(
            rows.map(row => ({ ...row, topic: topic.name, partition: 0, offset: BigInt(row.offset) })),
          )
          next = last.offset + 1
        } else if (next < end) {
          // The log has dropped the last records meanwhile.
          next = Number(end)
        } else await sleep(pollMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    } finally {
      db.close()
    }
  }
  const ended = run()
  return {
    waiting: Number((counted as { n: number }).n),
    caughtUp: caughtUp.promise,
    ended,
    async close() {
      closing.abort()
      await ended
    },
  }
}
