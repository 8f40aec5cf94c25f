/** The contract of every log. */
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  batchLimits,
  type Log,
  type LogOptions,
  type Received,
  totalOf,
} from '../../pipelines/rails/log/log.ts'
import { openLog, readAlong } from '../../pipelines/rails/log/open-log.ts'
import { Order } from '../../pipelines/rails/log/order.ts'
import { append } from '../../pipelines/sources/intake.ts'
import { type InsertedRow, sorted } from '../../pipelines/workers/insertion.ts'
import { type Dataset, defineDataset, field, type Topic } from '../../schemas/dataset/dataset.ts'
import { until } from '../until.ts'

export interface Backend {
  name: string
  /** Returns a new place for each test. */
  url(): string
  /** Whether two logs may be open on one URL at once. */
  shared: boolean
  /** Runs `work` with a log that has room only for small records. */
  withoutRoom(topic: Topic, work: (log: Log) => Promise<void>): Promise<void>
}

const entry = (key: string, value: string | null = `${key}-value`) => ({ key, value })
const keys = (records: readonly Received[]) => records.map(({ key }) => key)
const isMore = (bytes: number) => bytes > 0
const total = (position: ReadonlyMap<number, bigint>) =>
  Number([...position.values()].reduce((sum, offset) => sum + offset, 0n))

export function logContract(backend: Backend): void {
  describe(`the log on ${backend.name}`, () => {
    const opened: Log[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(log => log.close()))
    })

    const topicOf = (keep: Topic['keep'] = 'forever'): Topic => ({ name: `facts.${randomUUID()}`, keep })
    async function open(topics: Topic[], url = backend.url(), options: Partial<LogOptions> = {}) {
      const log = await openLog(url, { topics, ...options })
      opened.push(log)
      return log
    }
    async function closed(log: Log) {
      await log.close()
      opened.splice(opened.indexOf(log), 1)
    }

    test('keeps the order of each key, and hands over key, value and time', async () => {
      const topic = topicOf()
      const log = await open([topic])
      const before = Date.now()
      for (let n = 0; n < 20; n++)
        await Promise.all(['a', 'b', 'c'].map(key => log.append(topic, [entry(key, String(n))])))
      const got: Received[] = []
      await log.follow(topic, 'g', batch => void got.push(...batch))
      await until(() => got.length >= 60)
      for (const key of ['a', 'b', 'c']) {
        const own = got.filter(record => record.key === key)
        expect(own.map(({ value }) => Number(value))).toEqual(Array.from({ length: 20 }, (_, n) => n))
        for (const [i, record] of own.entries()) {
          expect(record).toMatchObject({ topic: topic.name, partition: own[0]?.partition })
          if (i > 0) expect(record.offset > (own[i - 1] as Received).offset).toBe(true)
          expect(record.at).toBeGreaterThanOrEqual(before - 1000)
          expect(record.at).toBeLessThanOrEqual(Date.now() + 1000)
        }
      }
    })

    test('gives two groups everything, each at its own pace, and counts the unread records of each', async () => {
      const topic = topicOf()
      const log = await open([topic])
      await log.append(topic, [entry('a'), entry('b'), entry('c')])
      const one: string[] = []
      await log.follow(topic, 'one', batch => void one.push(...keys(batch)))
      await until(async () => (await log.lag(topic, 'one')) === 0)
      expect(await log.lag(topic, 'two')).toBe(3)
      const two: string[] = []
      await log.follow(topic, 'two', batch => void two.push(...keys(batch)))
      await until(async () => (await log.lag(topic, 'two')) === 0)
      expect(one.sort()).toEqual(['a', 'b', 'c'])
      expect(two.sort()).toEqual(['a', 'b', 'c'])
    })

    test('carries packed records: thousands of events of a key, each once and in order, whatever letters they have', async () => {
      const dataset = defineDataset({
        name: `packed_${randomUUID()}`,
        about: 'Facts that come by the hundred million',
        fields: {
          company: field(z.string(), 'String', 'Of the key'),
          nth: field(z.int(), 'UInt32', 'Its place'),
          words: field(z.string(), 'String', 'Letters of three bytes each'),
        },
        key: ['company'],
        identity: ['company', 'nth'],
        packed: true,
      }) as unknown as Dataset
      const log = await open([dataset.topic])
      const events = ['a', 'b'].flatMap(company =>
        Array.from({ length: 5000 }, (_, nth) => ({ company, nth, words: '\u6f22'.repeat(40) })),
      )
      const emitted = events.map(event => ({ dataset, event }))
      await append(emitted, { log, source: 'a test', now: Date.now })
      const rows: InsertedRow[] = []
      const refused: unknown[] = []
      let records = 0
      const order = new Order()
      await log.follow(dataset.topic, 'g', batch => {
        const read = sorted(dataset, batch, order)
        records += batch.length
        rows.push(...read.rows)
        refused.push(...read.refused)
      })
      await until(() => rows.length >= events.length)
      expect(refused).toEqual([])
      expect(records).toBeLessThan(20)
      for (const company of ['a', 'b'])
        expect(rows.map(({ event }) => event).filter(event => event.company === company)).toEqual(
          events.filter(event => event.company === company),
        )
    })

    test('knows its end, and every append moves it', async () => {
      const topic = topicOf()
      const log = await open([topic])
      const start = total(await log.end(topic))
      await log.append(topic, [entry('a'), entry('b')])
      await log.append(topic, [])
      await log.append(topic, [entry('a', null)])
      expect(total(await log.end(topic)) - start).toBe(3)
    })

    test("continues after a restart from the group's last commit", async () => {
      const url = backend.url()
      const topic = topicOf()
      const first = await open([topic], url)
      await first.append(topic, [entry('a')])
      await first.follow(topic, 'g', () => {})
      await until(async () => (await first.lag(topic, 'g')) === 0)
      await first.append(topic, [])
      await closed(first)
      const second = await open([topic], url)
      const got: string[] = []
      await second.follow(topic, 'g', batch => void got.push(...keys(batch)))
      await second.append(topic, [entry('b')])
      await until(() => got.includes('b'))
      expect(got).toEqual(['b'])
    })

    test('delivers again the records that a killed process did not commit', async () => {
      const url = backend.url()
      const topic = topicOf()
      const log = await open([topic], url)
      await log.append(topic, [entry('a'), entry('a', 'again')])
      if (!backend.shared) await closed(log)
      const child = spawn(process.execPath, [processFile, url, topic.name, 'g'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let seen = ''
      child.stdout.on('data', data => {
        seen += data
      })
      await until(() => seen.includes('\n'), 'the child to have records in hand')
      expect(seen.trim()).toBe('a a')
      const gone = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      const next = backend.shared ? log : await open([topic], url)
      const got: Received[] = []
      await next.follow(topic, 'g', batch => void got.push(...batch))
      await until(() => got.length >= 2, 'the records to come again', 30_000)
      expect(keys(got)).toEqual(['a', 'a'])
    })

    test('lets a second follower of a group take over from the first, and never gives one record to both', async () => {
      const url = backend.url()
      const topic = topicOf()
      const one = await open([topic], url)
      const two = backend.shared ? await open([topic], url) : one
      const got: string[] = []
      const first = await one.follow(topic, 'g', batch => void got.push(...keys(batch)))
      await two.follow(topic, 'g', batch => void got.push(...keys(batch)))
      const names = Array.from({ length: 30 }, (_, n) => `k${n}`)
      await one.append(
        topic,
        names.map(name => entry(name)),
      )
      await until(async () => (await one.lag(topic, 'g')) === 0)
      await first.close()
      await two.append(
        topic,
        names.map(name => entry(`late-${name}`)),
      )
      await until(async () => (await two.lag(topic, 'g')) === 0)
      expect(new Set(got)).toEqual(new Set([...names, ...names.map(name => `late-${name}`)]))
      expect(got.length).toBe(60)
    })

    test('ends a follower whose handler throws, and commits nothing of that batch', async () => {
      const topic = topicOf()
      const told: unknown[] = []
      const log = await open([topic], backend.url(), { onError: error => void told.push(error) })
      await log.append(topic, [entry('a')])
      const wrong = new Error('the handler is wrong')
      const following = await log.follow(topic, 'g', () => Promise.reject(wrong))
      await expect(following.ended).rejects.toBe(wrong)
      expect(told).toContain(wrong)
      expect(await log.lag(topic, 'g')).toBe(1)
      const got: string[] = []
      await log.follow(topic, 'g', batch => void got.push(...keys(batch)))
      await until(() => got.length > 0)
      expect(got).toEqual(['a'])
    })

    test.each(['follow', 'watch'] as const)(
      'hands one bounded batch at a time to a %s that is far behind',
      async way => {
        const topic = topicOf()
        const log = await open([topic])
        const value = 'v'.repeat(100_000)
        for (let n = 0; n < 4; n++)
          await log.append(
            topic,
            Array.from({ length: 10 }, () => entry('large', value)),
          )
        await log.append(
          topic,
          Array.from({ length: 3 * batchLimits.records }, () => entry('small', 'v')),
        )
        let inHand = 0
        let most = 0
        let count = 0
        const handle = async (batch: readonly Received[]) => {
          most = Math.max(most, ++inHand)
          expect(batch.length).toBeLessThanOrEqual(batchLimits.records)
          const bytes = batch.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
          expect(bytes).toBeLessThanOrEqual(batchLimits.bytes)
          await new Promise(resolve => setTimeout(resolve, 2))
          count += batch.length
          inHand--
        }
        await (way === 'follow' ? log.follow(topic, 'g', handle) : log.watch(topic, handle))
        await until(() => count >= 40 + 3 * batchLimits.records)
        expect(count).toBe(40 + 3 * batchLimits.records)
        expect(most).toBe(1)
      },
    )

    test('closes only when the current batch is handled and committed, and every append has its result', async () => {
      const url = backend.url()
      const topic = topicOf()
      const log = await open([topic], url)
      await log.append(topic, [entry('a')])
      const held = Promise.withResolvers<void>()
      let inHand = false
      const following = await log.follow(topic, 'g', () => {
        inHand = true
        return held.promise
      })
      await until(() => inHand)
      const appended = log.append(topic, [entry('b')])
      let isClosed = false
      const closing = closed(log).then(() => {
        isClosed = true
      })
      await appended
      expect(isClosed).toBe(false)
      held.resolve()
      await closing
      await following.ended
      await expect(log.append(topic, [entry('c')])).rejects.toThrow('closed')
      await expect(log.follow(topic, 'g', () => {})).rejects.toThrow('closed')
      const later = await open([topic], url)
      expect(await later.lag(topic, 'g')).toBe(1)
    })

    test('rejects an append that it cannot make durable', async () => {
      const topic = topicOf()
      await backend.withoutRoom(topic, async log => {
        const value = randomBytes(250_000).toString('hex')
        await expect(log.append(topic, [entry('a', value)])).rejects.toThrow()
        await log.append(topic, [entry('a', 'small')])
      })
    })

    test('rejects a record that is too large for a message, and topics that it was not opened with', async () => {
      const topic = topicOf()
      const log = await open([topic])
      const large = entry('a', 'v'.repeat(1_000_001))
      await expect(log.append(topic, [large])).rejects.toThrow('1000002 bytes')
      await expect(log.append(topicOf(), [entry('a')])).rejects.toThrow('not opened with this topic')
    })

    test('shows a watch everything from the beginning, says when it has caught up, and goes on', async () => {
      const url = backend.url()
      const topic = topicOf('newest')
      const log = await open([topic], url)
      await log.append(topic, [entry('a', '1'), entry('b', '1'), entry('c', '1')])
      await log.append(topic, [entry('a', '2'), entry('b', null)])
      const newest = new Map<string, string | null>()
      const watching = await log.watch(topic, batch => {
        for (const { key, value } of batch) newest.set(key, value)
      })
      await watching.caughtUp
      expect(Object.fromEntries(newest)).toEqual({ a: '2', b: null, c: '1' })
      await log.append(topic, [entry('d', '1')])
      await watching.reached(await log.end(topic))
      expect(newest.get('d')).toBe('1')
      await watching.close()
      await watching.ended
      await log.append(topic, [entry('e', '1')])
      await expect(watching.reached(await log.end(topic))).rejects.toThrow('closed')
      expect(newest.has('e')).toBe(false)
    })

    test('shows a watch from the end every new record, and nothing older', async () => {
      const topic = topicOf()
      const log = await open([topic])
      await log.append(
        topic,
        Array.from({ length: 50 }, (_, n) => entry(`before-${n}`)),
      )
      const got: string[] = []
      const watching = await log.watch(topic, batch => void got.push(...keys(batch)), { from: 'end' })
      const names = Array.from({ length: 50 }, (_, n) => `after-${n}`)
      for (const name of names) await log.append(topic, [entry(name)])
      await watching.caughtUp
      await watching.reached(await log.end(topic))
      expect(got.toSorted()).toEqual(names.toSorted())
    })

    test('lets others read from its beginning or its end, without any change', async () => {
      const url = backend.url()
      const topic = topicOf()
      const log = await open([topic], url)
      await log.append(topic, [entry('a'), entry('b')])
      const all: string[] = []
      const fresh: string[] = []
      const readers = [
        await readAlong(url, topic, batch => void all.push(...keys(batch)), { from: 'beginning' }),
        await readAlong(url, topic, batch => void fresh.push(...keys(batch)), { from: 'end' }),
      ]
      await log.append(topic, [entry('c'), entry('d', null)])
      await until(() => all.length >= 4 && fresh.length >= 2)
      for (const reader of readers) await reader.close()
      await log.append(topic, [entry('e')])
      expect(all.toSorted()).toEqual(['a', 'b', 'c', 'd'])
      expect(fresh.toSorted()).toEqual(['c', 'd'])
      expect(await log.lag(topic, 'g')).toBe(5)
      expect(totalOf(await log.lags(topic, 'g'))).toBe(5)
    })

    test('says that it is well', async () => {
      const topic = topicOf()
      const log = await open([topic], backend.url())
      await log.append(topic, [entry('a')])
      const { brokers, partitions, disk } = await log.condition()
      // Either brokers keep the records, or the disk here.
      expect(brokers === undefined).toBe(disk !== undefined)
      if (brokers) expect(brokers.present).toBe(brokers.known)
      else expect(disk).toMatchObject({ used: expect.toSatisfy(isMore), free: expect.toSatisfy(isMore) })
      expect(partitions).toEqual(brokers ? [{ topic: topic.name, behind: 0, leaderless: 0 }] : [])
    })

    test('refuses to follow an unknown topic, and does not create it', async () => {
      const url = backend.url()
      await open([topicOf()], url)
      const missing = topicOf()
      for (let times = 0; times < 2; times++)
        await expect(readAlong(url, missing, () => {})).rejects.toThrow(`has no topic ${missing.name}`)
    })

    test('shows a watch from a position everything after it, and every new record', async () => {
      const topic = topicOf()
      const log = await open([topic])
      const early = Array.from({ length: 50 }, (_, n) => `early-${n}`)
      const late = Array.from({ length: 50 }, (_, n) => `late-${n}`)
      await log.append(
        topic,
        early.map(name => entry(name)),
      )
      const position = await log.end(topic)
      for (const name of late) await log.append(topic, [entry(name)])
      const got: string[] = []
      const watching = await log.watch(topic, batch => void got.push(...keys(batch)), { from: position })
      await watching.caughtUp
      expect(got.toSorted()).toEqual(late.toSorted())
      await log.append(topic, [entry('last')])
      await watching.reached(await log.end(topic))
      expect(got.at(-1)).toBe('last')
      expect(got.length).toBe(51)
    })

    test('shows a watch everything if the log does not have its position', async () => {
      const topic = topicOf()
      const log = await open([topic])
      await log.append(topic, [entry('a'), entry('b'), entry('c')])
      const end = await log.end(topic)
      for (const offset of [0n, 1000n]) {
        const elsewhere = new Map([...end.keys()].map(partition => [partition, offset]))
        const got: string[] = []
        const watching = await log.watch(topic, batch => void got.push(...keys(batch)), { from: elsewhere })
        await watching.caughtUp
        expect(got.toSorted()).toEqual(['a', 'b', 'c'])
      }
    })

    test('keeps one order for all keys of a topic that asks for it', async () => {
      const topic = { ...topicOf(), inOneOrder: true }
      const log = await open([topic])
      const names = Array.from({ length: 60 }, (_, n) => `key-${n}`)
      for (const name of names) await log.append(topic, [entry(name)])
      const got: Received[] = []
      const watching = await log.watch(topic, batch => void got.push(...batch))
      await watching.caughtUp
      expect(keys(got)).toEqual(names)
      expect(new Set(got.map(({ partition }) => partition)).size).toBe(1)
    })

    test('says whether a single process owns it', async () => {
      expect((await open([topicOf()])).isOwned).toBe(!backend.shared)
    })

    test('a watch of an empty topic has caught up at once', async () => {
      const topic = topicOf('newest')
      const log = await open([topic])
      const watching = await log.watch(topic, () => {})
      await watching.caughtUp
      await watching.reached(await log.end(topic))
    })

    test('ends a watch whose handler throws, and rejects all who wait for it', async () => {
      const topic = topicOf('newest')
      const log = await open([topic])
      await log.append(topic, [entry('a')])
      const watching = await log.watch(topic, () => {
        throw new Error('the handler is wrong')
      })
      await expect(watching.caughtUp).rejects.toThrow('the handler is wrong')
      await expect(watching.ended).rejects.toThrow('the handler is wrong')
      await expect(watching.reached(await log.end(topic))).rejects.toThrow('the handler is wrong')
    })
  })
}

const processFile = new URL('log-process.ts', import.meta.url).pathname
