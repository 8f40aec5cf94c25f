/**
 * A SQLite log for a process that does not own it. It reads along, and leaves what it appends in a folder beside the file, from where
 * the owner takes it into the log.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { type Entry, type Handle, type Log, type LogPosition, measured, type WatchOptions } from './log.ts'
import { readAlongSqlite } from './sqlite-along.ts'

const folderOf = (logFile: string): string => join(dirname(logFile), 'brought')
const form = /^\d+-[\w-]+\.json$/
const mostAtOnce = 100
const lookMs = 100

export function openGuestLog(file: string): Log {
  const readers = new Set<{ close(): Promise<void> }>()
  const never = () =>
    Promise.reject(new Error('this process reads along in a log of another: it follows nothing'))
  return {
    isOwned: false,
    async append(topic, entries) {
      measured(topic, entries)
      bring(folderOf(file), { topic: topic.name, entries })
    },
    async watch(topic: Topic, handle: Handle, options: WatchOptions = {}) {
      let next = 0n
      const told: Handle = async batch => {
        await handle(batch)
        next = (batch.at(-1)?.offset ?? next) + 1n
      }
      const reading = readAlongSqlite(file, topic, told, options)
      readers.add(reading)
      const reached = async (position: LogPosition) => {
        while (next < (position.get(0) ?? 0n) && readers.has(reading)) await sleep(lookMs)
      }
      const close = async () => {
        readers.delete(reading)
        await reading.close()
      }
      return { ended: reading.ended, caughtUp: reading.caughtUp, reached, close }
    },
    follow: never,
    end: never,
    lag: never,
    lags: never,
    condition: async () => ({ partitions: [] }),
    async close() {
      await Promise.all([...readers].map(reader => reader.close()))
    },
  }
}

interface Brought {
  topic: string
  entries: readonly Entry[]
}

/** It survives a power cut from here on. */
function bring(folder: string, brought: Brought): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `${Date.now()}-${randomUUID()}.json`
  const written = join(folder, `.${name}`)
  const file = openSync(written, 'w', 0o600)
  try {
    writeSync(file, JSON.stringify(brought))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(written, join(folder, name))
}

/** What guests have brought, the oldest first. `remove` it once the log has it. */
export function broughtTo(logFile: string): { topic: string; entries: readonly Entry[]; remove(): void }[] {
  const folder = folderOf(logFile)
  return namesIn(folder).flatMap(name => {
    const file = join(folder, name)
    const remove = () => rmSync(file, { force: true })
    try {
      return [{ ...(JSON.parse(readFileSync(file, 'utf8')) as Brought), remove }]
    } catch {
      // A file of somebody else. It is no fact.
      remove()
      return []
    }
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => form.test(name))
      .toSorted()
      .slice(0, mostAtOnce)
  } catch {
    // Nobody has brought anything yet.
    return []
  }
}
