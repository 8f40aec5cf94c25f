import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Log, Received } from '../../pipelines/rails/log/log.ts'
import { openSqliteLog, type SqliteOptions } from '../../pipelines/rails/log/sqlite-log.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { until } from '../until.ts'
import { logContract } from './log.ts'

const dir = mkdtempSync(join(tmpdir(), 'farebox-log-'))
let files = 0
const file = () => join(dir, String(++files), 'log.db')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

logContract({
  name: 'SQLite',
  url: () => `sqlite:${file()}`,
  shared: false,
  async withoutRoom(topic, work) {
    const log = await openSqliteLog(file(), { topics: [topic], fileBytes: 200_000 })
    await work(log)
    await log.close()
  },
})

describe('the SQLite log, beyond the contract', () => {
  const opened: Log[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(log => log.close()))
  })
  async function open(path: string, topics: Topic[], options: Partial<SqliteOptions> = {}) {
    const log = await openSqliteLog(path, { topics, ...options })
    opened.push(log)
    return log
  }
  async function all(log: Log, topic: Topic): Promise<Received[]> {
    const got: Received[] = []
    const watching = await log.watch(topic, batch => void got.push(...batch))
    await watching.caughtUp
    await watching.close()
    return got
  }
  const reopened = async (log: Log, path: string, topics: Topic[], options: Partial<SqliteOptions> = {}) => {
    await log.close()
    opened.splice(opened.indexOf(log), 1)
    return open(path, topics, options)
  }

  test('refuses a second process, and says that another one uses it', async () => {
    const path = file()
    const topic: Topic = { name: 'a', keep: 'forever' }
    await open(path, [topic])
    await expect(open(path, [topic])).rejects.toThrow(`the log ${path} is in use by another process`)
  })

  test('lets appends that arrive together share a commit', async () => {
    const topic: Topic = { name: 'a', keep: 'forever' }
    let commits = 0
    const log = await open(file(), [topic], { now: () => ++commits })
    await Promise.all(Array.from({ length: 100 }, (_, n) => log.append(topic, [{ key: 'k', value: `${n}` }])))
    expect(commits).toBe(1)
    const got = await all(log, topic)
    expect(got.map(({ value }) => Number(value))).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  test('never stamps a record earlier than the one before, not even after a restart', async () => {
    const path = file()
    const topic: Topic = { name: 'a', keep: 'forever' }
    let time = 5000
    const now = () => time
    const log = await open(path, [topic], { now })
    await log.append(topic, [{ key: 'k', value: '1' }])
    time = 4000
    await log.append(topic, [{ key: 'k', value: '2' }])
    const later = await reopened(log, path, [topic], { now })
    time = 3000
    await later.append(topic, [{ key: 'k', value: '3' }])
    time = 6000
    await later.append(topic, [{ key: 'k', value: '4' }])
    expect((await all(later, topic)).map(({ at }) => at)).toEqual([5000, 5000, 5000, 6000])
  })

  test('drops old records, but none that a known group has not read, and gives no offset twice', async () => {
    const path = file()
    const followed: Topic = { name: 'followed', keep: { ms: 1000 } }
    const free: Topic = { name: 'free', keep: { ms: 1000 } }
    const topics = [followed, free]
    let time = 1000
    const options = { now: () => time, sweepMs: 10 }
    const log = await open(path, topics, { now: options.now })
    const stuck = await log.follow(followed, 'g', () => Promise.reject(new Error('not now')))
    for (const topic of topics) await log.append(topic, [{ key: 'k', value: 'old' }])
    await expect(stuck.ended).rejects.toThrow('not now')
    time = 3000
    for (const topic of topics) await log.append(topic, [{ key: 'k', value: 'new' }])
    const later = await reopened(log, path, topics, options)
    await until(async () => (await all(later, free)).length === 1)
    expect((await all(later, followed)).map(({ value }) => value)).toEqual(['old', 'new'])
    await later.follow(followed, 'g', () => {})
    await until(async () => (await all(later, followed)).length === 1)
    time = 9000
    await until(async () => (await all(later, followed)).length === 0)
    const end = await later.end(followed)
    const last = await reopened(later, path, topics, options)
    expect(await last.end(followed)).toEqual(end)
    expect(await last.lag(followed, 'g')).toBe(0)
  })

  test('drops the oldest records beyond the size of a topic, and none of a topic that is kept for ever', async () => {
    const path = file()
    const short: Topic = { name: 'short', keep: { ms: 1e9 } }
    const long: Topic = { name: 'long', keep: 'forever' }
    const log = await open(path, [short, long], { topicBytes: 10_000, sweepMs: 10 })
    for (let n = 0; n < 30; n++) {
      const record = { key: `${n}`.padStart(2, '0'), value: 'v'.repeat(998) }
      await Promise.all([log.append(short, [record]), log.append(long, [record])])
    }
    const later = await reopened(log, path, [short, long], { topicBytes: 10_000, sweepMs: 10 })
    await until(async () => (await all(later, short)).length === 10)
    expect((await all(later, short))[0]?.key).toBe('20')
    expect((await all(later, long)).length).toBe(30)
  })

  test('keeps the newest record of each key for ever, and a tombstone for a while', async () => {
    const path = file()
    const topic: Topic = { name: 'a', keep: 'newest' }
    let time = 1000
    const options = { now: () => time, sweepMs: 10, tombstoneMs: 500 }
    const log = await open(path, [topic], options)
    for (let n = 0; n < 50; n++)
      await log.append(topic, [
        { key: 'a', value: `${n}` },
        { key: 'b', value: `${n}` },
      ])
    await log.append(topic, [{ key: 'b', value: null }])
    const later = await reopened(log, path, [topic], options)
    const state = async () => (await all(later, topic)).map(({ key, value }) => [key, value])
    await until(async () => (await state()).length === 2)
    expect(await state()).toEqual([
      ['a', '49'],
      ['b', null],
    ])
    time = 2000
    await until(async () => (await state()).length === 1)
    expect(await state()).toEqual([['a', '49']])
    await later.append(topic, [{ key: 'c', value: '1' }])
    expect(await state()).toEqual([
      ['a', '49'],
      ['c', '1'],
    ])
  })

  test('keeps every record that a known group has not read when it compacts', async () => {
    const path = file()
    const followed: Topic = { name: 'followed', keep: 'newest' }
    const free: Topic = { name: 'free', keep: 'newest' }
    const topics = [followed, free]
    const log = await open(path, topics)
    const stuck = await log.follow(followed, 'g', () => Promise.reject(new Error('not now')))
    for (const topic of topics)
      for (let n = 0; n < 5; n++) await log.append(topic, [{ key: 'a', value: `${n}` }])
    await expect(stuck.ended).rejects.toThrow('not now')
    const later = await reopened(log, path, topics, { sweepMs: 10 })
    await until(async () => (await all(later, free)).length === 1)
    expect((await all(later, followed)).length).toBe(5)
    await later.follow(followed, 'g', () => {})
    await until(async () => (await later.lag(followed, 'g')) === 0)
    const last = await reopened(later, path, topics, { sweepMs: 10 })
    await until(async () => (await all(last, followed)).length === 1)
  })
})
