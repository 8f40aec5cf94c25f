import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Entry, Log } from '../../pipelines/log/log.ts'
import { openLog } from '../../pipelines/log/open.ts'
import { metrics } from '../../pipelines/metrics.ts'
import { startSink } from '../../pipelines/sink.ts'
import { startEngine } from '../../pipelines/store/embedded.ts'
import { openStore } from '../../pipelines/store/open.ts'
import { type Store, StoreAway } from '../../pipelines/store/store.ts'
import type { Dataset } from '../../schemas/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { visit, visits } from './visits.ts'

const rejected = rejects as unknown as Dataset
const topics = [visits.topic, rejects.topic]
const at = Date.parse('2026-11-20T12:00:00Z')

describe('the sink', () => {
  let folder: string
  let engine: Awaited<ReturnType<typeof startEngine>>
  let store: Store
  let log: Log
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'farebox-'))
    engine = await startEngine({
      folder,
      httpPort: 0,
      tcpPort: 0,
      usersFile: 'deploy/clickhouse/users.xml',
      analystPassword: '',
      onProblem: () => {},
    })
    store = await openStore(`${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`)
    await store.apply([visits, rejected])
  })
  afterAll(async () => {
    await store.close()
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    log = await openLog(`sqlite:${join(scratchFolder(), 'log.db')}`, { topics })
    onTestFinished(() => log.close())
  })

  const start = async (dataset = visits, insert: Store['insert'] = (...given) => store.insert(...given)) => {
    const problems: unknown[] = []
    const sink = await startSink({
      log,
      store: { insert },
      dataset,
      now: () => at,
      onProblem: problem => problems.push(problem),
    })
    onTestFinished(() => sink.close())
    return { sink, problems }
  }
  const sunk = (dataset = visits) =>
    until(async () => (await log.lag(dataset.topic, 'sink')) === 0, 'the end of the topic')
  const seats = (like: string) =>
    store.query<{ id: string; seats: number }>(
      'select id, seats from visits where id like {like: String} order by id',
      { like },
    )
  const inRejects = async () => {
    const found: Record<string, unknown>[] = []
    const watching = await log.watch(rejects.topic, batch => {
      found.push(...batch.map(({ value }) => JSON.parse(value ?? '')))
    })
    await watching.caughtUp
    await watching.close()
    return found
  }
  const total = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await metric.get()).values.reduce((sum, { value }) => sum + value, 0)

  it('moves a topic into its table, a fact told twice counted once and the last word kept', async () => {
    const before = await total(metrics.sunk)
    await log.append(visits.topic, [visit('m1'), visit('m2'), visit('m1', 5)])
    await start()
    await sunk()
    await log.append(visits.topic, [visit('m2'), visit('m3')])
    await sunk()
    expect(await seats('m%')).toEqual([
      { id: 'm1', seats: 5 },
      { id: 'm2', seats: 1 },
      { id: 'm3', seats: 1 },
    ])
    expect((await total(metrics.sunk)) - before).toBe(5)
  })

  it('keeps what is no event with the reason, and goes on', async () => {
    const before = await total(metrics.sinkRejects)
    const wrong: Entry[] = [
      { key: 'r1', value: 'not json' },
      { key: 'r2', value: '{"id":"r2","seats":1,"more":2}' },
      visit('r3', 'many'),
    ]
    await log.append(visits.topic, [visit('r0'), ...wrong, visit('r4')])
    const { problems } = await start()
    await sunk()
    expect((await seats('r%')).map(({ id }) => id)).toEqual(['r0', 'r4'])
    expect(await inRejects()).toEqual([
      {
        topic: 'visits',
        place: expect.stringMatching(/^0\/\d+$/),
        at: '2026-11-20T12:00:00.000Z',
        reason: 'not JSON',
        event: 'not json',
      },
      expect.objectContaining({ event: wrong[1]?.value, reason: expect.stringContaining('more') }),
      expect.objectContaining({ event: wrong[2]?.value, reason: expect.stringContaining('seats') }),
    ])
    expect((await total(metrics.sinkRejects)) - before).toBe(3)
    expect(String(problems[0])).toContain('visits: 3 refused, the first because not JSON')
  })

  it('finds the one row that the store refuses, and lets the others in', async () => {
    const many = Array.from({ length: 40 }, (_, n) => visit(`p${String(n).padStart(2, '0')}`))
    many[7] = visit('p07', 256)
    many[31] = visit('p31', -1)
    await log.append(visits.topic, many)
    await start()
    await sunk()
    const ids = (await seats('p%')).map(({ id }) => id)
    expect(ids).toHaveLength(38)
    expect(ids).not.toContain('p07')
    expect(await inRejects()).toMatchObject([
      { reason: 'seats: 256 is outside of UInt8', event: many[7]?.value },
      { reason: 'seats: -1 is outside of UInt8', event: many[31]?.value },
    ])
  })

  it('puts rejects into their own table, and none of them into rejects again', async () => {
    await log.append(visits.topic, [{ key: 'x', value: 'broken' }])
    await log.append(rejects.topic, [{ key: 'y', value: 'a reject that is none' }])
    await start()
    await sunk()
    await start(rejected)
    await sunk(rejected)
    const rows = await store.query<{ event: string }>(
      `select event, topic from farebox_private.rejects where event = 'broken'`,
    )
    expect(rows).toEqual([{ event: 'broken', topic: 'visits' }])
    expect(await log.lag(rejects.topic, 'sink')).toBe(0)
  })

  it('passes over tombstones', async () => {
    await log.append(visits.topic, [visit('t1'), { key: 't1', value: null }, visit('t2')])
    await start()
    await sunk()
    expect((await seats('t%')).map(({ id }) => id)).toEqual(['t1', 't2'])
    expect(await inRejects()).toEqual([])
  })

  it('waits for a store that is away, counts its tries, and loses nothing', async () => {
    const before = await total(metrics.sinkRetries)
    process.kill(engine.pid() as number, 'SIGKILL')
    await until(async () => !(await store.ping()), 'the death of the engine')
    await log.append(visits.topic, [visit('w1'), visit('w2')])
    const { problems } = await start()
    await until(() => problems.length > 0, 'a failed try')
    await sunk()
    expect(await seats('w%')).toHaveLength(2)
    expect((await total(metrics.sinkRetries)) - before).toBe(problems.length)
    expect(await inRejects()).toEqual([])
  })

  it('closes while the store is away, without a commit', async () => {
    await log.append(visits.topic, [visit('c1')])
    const { sink, problems } = await start(visits, () => Promise.reject(new StoreAway('away')))
    await until(() => problems.length > 0, 'a failed try')
    await sink.close()
    await sink.ended
    expect(await log.lag(visits.topic, 'sink')).toBe(1)
  })

  it('ends, and does not try again, when the fault is ours', async () => {
    await log.append(visits.topic, [visit('o')])
    const { sink, problems } = await start(visits, () => Promise.reject(new TypeError('a slip')))
    await expect(sink.ended).rejects.toThrow('a slip')
    expect(problems).toEqual([])
    expect(await log.lag(visits.topic, 'sink')).toBe(1)
  })

  it('ends when the log cannot take its rejects', async () => {
    await log.append(visits.topic, [{ key: 'e', value: 'broken' }])
    const sink = await startSink({
      log: {
        follow: (...given) => log.follow(...given),
        append: () => Promise.reject(new Error('disk full')),
      },
      store,
      dataset: visits,
      now: () => at,
      onProblem: () => {},
    })
    await expect(sink.ended).rejects.toThrow('disk full')
    expect(await log.lag(visits.topic, 'sink')).toBe(1)
    await sink.close()
  })
})

describe('a sink that is killed between insert and commit', () => {
  it('has lost nothing and doubled nothing when it is back', async () => {
    const folder = scratchFolder()
    const log = await openLog(`sqlite:${folder}/log.db`, { topics })
    await log.append(
      visits.topic,
      Array.from({ length: 500 }, (_, n) => visit(`k${n}`, 2)),
    )
    await log.close()

    const run = (mode: string) => {
      const child = spawn(process.execPath, ['test/pipelines/sink-process.ts', folder, mode], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      return { child, line: async () => (await lines.next()).value as string }
    }
    for (let round = 0; round < 2; round++) {
      const { child, line } = run('stall')
      expect(await line()).toBe('inserted')
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const { child, line } = run('through')
    expect(JSON.parse(await line())).toEqual({ rows: '500', ids: '500', seats: '1000' })
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })
})
