/** The log of one machine: a SQLite file that one process owns, with one partition per topic. */
import { mkdirSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { GroupCommit } from './group-commit.ts'
import {
  type Entry,
  type Following,
  type Handle,
  type Log,
  type LogCondition,
  type LogOptions,
  type LogPosition,
  measured,
  type Received,
  startOf,
  type Watching,
  type WatchOptions,
} from './log.ts'
import type { Append, Commit, FileOptions, LogRow } from './sqlite-file.ts'
import { SqliteReader, type SqliteReading } from './sqlite-reader.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { Tail } from './tail.ts'

export interface SqliteOptions extends LogOptions, Partial<Omit<FileOptions, 'path' | 'topics'>> {
  /** How often the log looks for records that it may drop. */
  sweepMs?: number
  /** A clock that nobody turns. */
  uptime?: () => number
}

const dayMs = 86_400_000
/** The limit of one commit, because readers wait behind it. */
const groupBytes = 8 << 20

export async function openSqliteLog(path: string, options: SqliteOptions): Promise<Log> {
  mkdirSync(dirname(path), { recursive: true })
  const thread = new SqliteThread({
    path,
    topics: options.topics,
    topicBytes: options.topicBytes ?? 1 << 30,
    fileBytes: options.fileBytes,
    tombstoneMs: options.tombstoneMs ?? dayMs,
    groupMs: options.groupMs ?? 30 * dayMs,
  })
  const ends = await thread.call('ends')
  return new SqliteLog(path, thread, ends, options)
}

class SqliteLog implements Log {
  readonly isOwned = true
  readonly #path: string
  readonly #thread: SqliteThread
  readonly #tails: Map<string, Tail>
  readonly #now: () => number
  readonly #uptime: () => number
  readonly #onError: (error: unknown) => void
  readonly #writes: GroupCommit<Append | Commit>
  readonly #readers = new Set<SqliteReader>()
  /** The followers of each group, in order of arrival. The first one works, and the others stand by. */
  readonly #groups = new Map<string, { topic: string; group: string; members: SqliteReader[] }>()
  readonly #sweeper: NodeJS.Timeout
  #sweeping: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #closed = false
  #sweptAt: number

  constructor(path: string, thread: SqliteThread, ends: Map<string, number>, options: SqliteOptions) {
    this.#path = path
    this.#thread = thread
    this.#tails = new Map([...ends].map(([name, end]) => [name, new Tail(BigInt(end))]))
    this.#now = options.now ?? Date.now
    this.#uptime = options.uptime ?? (() => performance.now())
    this.#sweptAt = this.#uptime()
    this.#onError = options.onError ?? (() => {})
    this.#writes = new GroupCommit(groupBytes, items => this.#write(items))
    this.#sweeper = setInterval(() => {
      this.#sweeping ??= this.#sweep()
    }, options.sweepMs ?? 60_000).unref()
  }

  async append(topic: Topic, entries: readonly Entry[]): Promise<void> {
    this.#tail(topic)
    const bytes = measured(topic, entries)
    if (this.#closed) throw new Error('the log is closed')
    if (entries.length > 0) await this.#writes.add({ topic: topic.name, entries }, bytes)
  }

  async follow(topic: Topic, group: string, handle: Handle): Promise<Following> {
    const join = async () => BigInt(await this.#thread.call('join', topic.name, group, this.#now()))
    await join()
    const { members } = this.#group(topic.name, group)
    const reader = this.#read(topic, handle, {
      begin: join,
      commit: next => this.#writes.add({ topic: topic.name, group, next: Number(next) }, 0),
      turn: reader => members[0] === reader,
      onEnd: reader => members.splice(members.indexOf(reader), 1),
    })
    members.push(reader)
    return reader
  }

  async watch(topic: Topic, handle: Handle, { from }: WatchOptions = {}): Promise<Watching> {
    const start = startOf(from, 0, { begin: 1n, end: this.#tail(topic).end })
    return this.#read(topic, handle, {
      begin: async () => start,
      commit: async () => {},
      turn: () => true,
      onEnd: () => {},
    })
  }

  async end(topic: Topic): Promise<LogPosition> {
    return new Map([[0, this.#tail(topic).end]])
  }

  lag(topic: Topic, group: string): Promise<number> {
    return this.#thread.call('lag', topic.name, group)
  }

  async lags(topic: Topic, group: string): Promise<ReadonlyMap<number, number>> {
    return new Map([[0, await this.lag(topic, group)]])
  }

  async condition(): Promise<LogCondition> {
    const { bavail, bsize } = await statfs(dirname(this.#path))
    const files = await Promise.all(['', '-wal'].map(end => sizeOf(`${this.#path}${end}`)))
    return {
      partitions: [],
      disk: { used: files.reduce((sum, size) => sum + size, 0), free: bavail * bsize },
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Closes readers first, because their current batch may still append. */
  async #close(): Promise<void> {
    clearInterval(this.#sweeper)
    await Promise.all([...this.#readers].map(reader => reader.close()))
    this.#closed = true
    await this.#writes.drained()
    await this.#sweeping
    await this.#thread.close()
  }

  #read(
    topic: Topic,
    handle: Handle,
    reading: Omit<SqliteReading, 'tail' | 'handle' | 'read'>,
  ): SqliteReader {
    if (this.#closing) throw new Error('the log is closed')
    const tail = this.#tail(topic)
    const reader = new SqliteReader({
      ...reading,
      tail,
      handle,
      read: async from => {
        const { rows, next } = await this.#thread.call('read', topic.name, Number(from))
        return { records: rows.map(row => received(topic.name, row)), next: BigInt(next) }
      },
      onEnd: (reader, error) => {
        this.#readers.delete(reader)
        tail.readers--
        reading.onEnd(reader)
        tail.wake()
        if (error !== undefined) this.#onError(error)
      },
    })
    this.#readers.add(reader)
    tail.readers++
    return reader
  }

  async #write(items: readonly (Append | Commit)[]): Promise<void> {
    const appends = items.filter(item => 'entries' in item)
    const commits = items.filter(item => 'next' in item)
    const { at, first } = await this.#thread.call('write', this.#now(), appends, commits)
    appends.forEach(({ topic, entries }, i) => {
      const start = first[i] as number
      const tail = this.#tails.get(topic)
      if (tail?.readers === 0) {
        tail.skip(BigInt(start + entries.length))
        return
      }
      const records = entries.map(({ key, value }, n) =>
        received(topic, { offset: start + n, at, key, value }),
      )
      tail?.push(records)
    })
  }

  /** Works in small steps, so that no append waits long behind one. It tries a failed sweep again later. */
  async #sweep(): Promise<void> {
    try {
      const live = [...this.#groups.values()].filter(({ members }) => members.length > 0)
      const followed = live.map(({ topic, group }) => ({ topic, group }))
      while (!this.#closing && (await this.#thread.call('sweep', this.#now(), this.#passedMs(), followed)));
    } catch (error) {
      this.#onError(error)
    }
    this.#sweeping = undefined
  }

  /** Since the last sweep. */
  #passedMs(): number {
    const [before, at] = [this.#sweptAt, this.#uptime()]
    this.#sweptAt = at
    return at - before
  }

  #tail(topic: Topic): Tail {
    const tail = this.#tails.get(topic.name)
    if (!tail) throw new Error(`${topic.name}: the log was not opened with this topic`)
    return tail
  }

  #group(topic: string, group: string): { members: SqliteReader[] } {
    const name = `${topic} ${group}`
    let known = this.#groups.get(name)
    if (!known) {
      known = { topic, group, members: [] }
      this.#groups.set(name, known)
    }
    return known
  }
}

const received = (topic: string, { offset, at, key, value }: LogRow): Received => ({
  topic,
  partition: 0,
  offset: BigInt(offset),
  at,
  key,
  value,
})

/** 0 if there is no such file now. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
