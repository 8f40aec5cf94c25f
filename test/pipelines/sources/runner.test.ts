import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import type { Log, Received } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { Poller, type RunnerOptions, startSources } from '../../../pipelines/sources/runner.ts'
import { emit, type PollPage, type Source } from '../../../pipelines/sources/source.ts'
import { defineDataset, field, type Topic } from '../../../schemas/dataset/dataset.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { type SourceTick, sourceTicks } from '../../../schemas/source-ticks.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

const numbers = defineDataset({
  name: 'plain_numbers',
  about: 'Numbers',
  fields: { n: field(z.int(), 'Int32', 'A number') },
  key: ['n'],
  identity: ['n'],
})
const topics = [numbers.topic, rejects.topic, sourceTicks.topic]
const never = new AbortController().signal

async function open(folder = scratchFolder()): Promise<Log> {
  const log = await openLog(`sqlite:${join(folder, 'log.db')}`, { topics })
  onTestFinished(() => log.close())
  return log
}

const options = (log: Log, more: Partial<RunnerOptions<unknown>> = {}): RunnerOptions<unknown> => ({
  log,
  needs: {},
  outside: createOutside({ at: {}, contact: 'test', now: Date.now }),
  now: Date.now,
  jitterMs: 0,
  ...more,
})

const source = (pull: Source<number>['pull'], more: Partial<Source<number>> = {}): Source =>
  ({
    name: 'numbers',
    upstreams: [],
    silentAfterMs: 60_000,
    schedule: '0 0 1 1 *',
    timeoutMs: 5_000,
    pull,
    ...more,
  }) as Source

const pageOf = (cursor: number, ...ns: unknown[]): PollPage<number> => ({
  events: ns.map(n => emit(numbers, { n: n as number })),
  cursor,
})

async function all(log: Log, topic: Topic): Promise<Received[]> {
  const received: Received[] = []
  const watching = await log.watch(topic, batch => void received.push(...batch))
  await watching.caughtUp
  await watching.close()
  return received
}
const ticksOf = async (log: Log): Promise<SourceTick[]> =>
  (await all(log, sourceTicks.topic)).map(({ value }) => JSON.parse(value as string))
const numbersOf = async (log: Log) => (await all(log, numbers.topic)).map(({ key }) => Number(key))

async function missedFeeds(): Promise<number> {
  const { values } = await metrics.missedFeeds.get()
  return values.find(({ labels }) => labels.source === 'numbers' && labels.feed === 'json')?.value ?? 0
}

describe('a poll', () => {
  it('puts its events into the log, then its tick with the cursor', async () => {
    const log = await open()
    const poller = new Poller(
      source(async function* () {
        yield pageOf(1, 1, 2)
        yield pageOf(2, 3)
      }),
      options(log),
      undefined,
    )
    expect(await poller.poll(never)).toBe(true)
    expect((await numbersOf(log)).sort()).toEqual([1, 2, 3])
    expect(await ticksOf(log)).toMatchObject([
      { source: 'numbers', outcome: 'changed', events: 3, cursor: '2', error: null },
    ])
  })

  it('without one of its feeds is good, and its tick and a metric name the feed', async () => {
    const log = await open()
    const missed = [{ feed: 'json', reason: 'http://faa/json answered 503' }]
    const poller = new Poller(
      source(async function* () {
        yield { ...pageOf(1, 1), missed }
      }),
      options(log),
      undefined,
    )
    const countBefore = await missedFeeds()
    expect(await poller.poll(never)).toBe(true)
    expect(await ticksOf(log)).toMatchObject([
      { outcome: 'changed', error: 'went without http://faa/json answered 503', good_at: expect.any(String) },
    ])
    expect(await missedFeeds()).toBe(countBefore + 1)
  })

  it('counts drifts at every poll, and shows each drift once, with a sample', async () => {
    const told: string[] = []
    const poller = new Poller(
      source(async function* () {
        const drift = [{ kind: 'unknown' as const, what: 'colour', sample: '"red"' }]
        yield { ...pageOf(1, 1), drift }
      }),
      options(await open(), { tell: line => told.push(line) }),
      undefined,
    )
    const counted = async () =>
      (await metrics.drift.get()).values.find(
        ({ labels }) => labels.source === 'numbers' && labels.kind === 'unknown',
      )?.value ?? 0
    const before = await counted()
    await poller.poll(never)
    await poller.poll(never)
    expect((await counted()) - before).toBe(2)
    expect(told).toEqual(['drift of numbers: unknown colour: "red"'])
  })

  it('without news is a good poll', async () => {
    const log = await open()
    const poller = new Poller(
      source(async function* () {}),
      options(log, { now: () => 1_800_000_000_000 }),
      undefined,
    )
    expect(await poller.poll(never)).toBe(true)
    const [tick] = await ticksOf(log)
    expect(tick).toMatchObject({ outcome: 'unchanged', events: 0, good_at: tick?.at })
  })

  it('that fails keeps the events before the failure, and the last good poll', async () => {
    const log = await open()
    const failures: unknown[] = []
    let cursorSeen: unknown
    let fail = false
    const poller = new Poller(
      source(async function* (cursor) {
        cursorSeen = cursor
        yield pageOf(7, 7)
        if (fail) throw new UpstreamFailed('gone')
      }),
      options(log, { onFailed: (_, error) => failures.push(error) }),
      undefined,
    )
    await poller.poll(never)
    const goodAt = (await ticksOf(log))[0]?.good_at
    fail = true
    expect(await poller.poll(never)).toBe(false)
    const last = (await ticksOf(log)).at(-1)
    expect(last).toMatchObject({ outcome: 'failed', error: 'gone', good_at: goodAt, cursor: '7' })
    expect(failures).toHaveLength(1)
    fail = false
    await poller.poll(never)
    expect(cursorSeen).toBe(7)
  })

  it('files a refused event, and goes on', async () => {
    const log = await open()
    const poller = new Poller(
      source(async function* () {
        yield pageOf(1, 1, 'two', 3)
      }),
      options(log),
      undefined,
    )
    expect(await poller.poll(never)).toBe(true)
    expect((await numbersOf(log)).sort()).toEqual([1, 3])
    const [reject] = await all(log, rejects.topic)
    expect(JSON.parse(reject?.value as string)).toMatchObject({
      topic: 'plain.numbers',
      reason: expect.stringContaining('n:'),
      event: '{"n":"two"}',
    })
  })

  it('files what is longer than a record, whether it is refused or not, and goes on', async () => {
    const words = defineDataset({
      ...{ name: 'plain_words', about: 'Words', key: ['n'], identity: ['n'] },
      fields: { n: field(z.int(), 'Int32', 'A number'), word: field(z.string(), 'String', 'A word') },
    })
    const file = join(scratchFolder(), 'log.db')
    const log = await openLog(`sqlite:${file}`, { topics: [...topics, words.topic] })
    onTestFinished(() => log.close())
    // Each character is two halves, and the reject is cut between them.
    const word = '😀'.repeat(500_000)
    const events = [
      { n: 1, word },
      { n: 'two', word },
      { n: 3, word: 'a' },
    ]
    const poller = new Poller(
      source(async function* () {
        yield { events: events.map(event => emit(words, event as never)), cursor: 1 }
      }),
      options(log),
      undefined,
    )
    expect(await poller.poll(never)).toBe(true)
    expect((await all(log, words.topic)).map(({ value }) => value)).toEqual(['{"n":3,"word":"a"}'])
    const filed = (await all(log, rejects.topic)).map(({ value }) => JSON.parse(value as string))
    expect(filed.map(({ event }) => event.isWellFormed())).toEqual([true, true])
    const reasons = filed.map(({ reason }) => reason)
    expect(reasons).toEqual([expect.stringContaining('longer than a record'), expect.stringContaining('n:')])
  })

  it('that takes too long fails by its time-out', async () => {
    const log = await open()
    const poller = new Poller(
      source(
        async function* (_, { signal }) {
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
        { timeoutMs: 30 },
      ),
      options(log),
      undefined,
    )
    expect(await poller.poll(never)).toBe(false)
    expect((await ticksOf(log))[0]?.outcome).toBe('failed')
  })

  it('is not made while it is not due, unless the last one failed', async () => {
    const log = await open()
    let pulls = 0
    let fail = false
    const poller = new Poller(
      source(
        async function* () {
          pulls += 1
          if (fail) throw new UpstreamFailed('gone')
          yield pageOf(1, 1)
        },
        { due: () => pulls === 1 && fail },
      ),
      options(log),
      undefined,
    )
    await poller.poll(never)
    await poller.poll(never)
    expect(pulls).toBe(1)
    fail = true
    await poller.poll(never)
    await poller.poll(never)
    expect(pulls).toBe(3)
  })
})

describe('sources', () => {
  it('tick at once, and continue after a restart', async () => {
    const folder = scratchFolder()
    const seen: unknown[] = []
    const counting = source(async function* (cursor) {
      seen.push(cursor)
      yield pageOf((cursor ?? 0) + 1, (cursor ?? 0) + 1)
    })
    for (let run = 1; run <= 2; run++) {
      const log = await openLog(`sqlite:${join(folder, 'log.db')}`, { topics })
      const running = await startSources([counting], options(log))
      await until(async () => (await ticksOf(log)).length >= 1 && seen.length === run)
      await running.close()
      await log.close()
    }
    expect(seen).toEqual([undefined, 1])
    const log = await open(folder)
    expect((await numbersOf(log)).sort()).toEqual([1, 2])
  })

  it('stop without waiting for an upstream that hangs', async () => {
    const log = await open()
    let pulled = false
    const running = await startSources(
      [
        source(async function* (_, { signal }) {
          pulled = true
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        }),
      ],
      options(log),
    )
    await until(() => pulled)
    await running.close()
    expect(await ticksOf(log)).toEqual([])
  })
})
