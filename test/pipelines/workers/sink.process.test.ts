import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Entry, Log } from '../../../pipelines/rails/log/log.ts'
import { openLog, readAlong } from '../../../pipelines/rails/log/open-log.ts'
import { announce, newerSchemas } from '../../../pipelines/rails/log/schema-book.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { startEngine } from '../../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import { type Store, StoreAway } from '../../../pipelines/rails/store/store.ts'
import { FewerFacts, replay } from '../../../pipelines/workers/replay.ts'
import { openRejects, sendAgain } from '../../../pipelines/workers/resending.ts'
import { startSink } from '../../../pipelines/workers/sink.ts'
import { type Dataset, defineDataset, field, type Topic } from '../../../schemas/dataset/dataset.ts'
import { datasetSchemas } from '../../../schemas/dataset-schemas.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { visit, visits } from '../visits.ts'

const rejected = rejects as unknown as Dataset
const topics = [visits.topic, rejects.topic, datasetSchemas.topic]
const at = Date.parse('2026-11-20T12:00:00Z')
/** Visits in a table of their own, which tests change. */
const trips = (name = 'trips', column = 'UInt8', keep: Topic['keep'] = 'forever') =>
  defineDataset({
    name,
    about: 'Trips',
    fields: { id: field(z.string(), 'String', 'Id'), seats: field(z.int(), column, 'Seats') },
    key: ['id'],
    identity: ['id'],
    keep,
  }) as unknown as Dataset

const tripNames = ['trips', 'tours', 'rides', 'laps']
/** The clock of the log. */
let clock = at

describe('the sink', () => {
  let folder: string
  let engine: Awaited<ReturnType<typeof startEngine>>
  let store: Store
  let log: Log
  let logUrl: string
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
    logUrl = `sqlite:${join(scratchFolder(), 'log.db')}`
    log = await openLog(logUrl, {
      topics: [...topics, ...tripNames.map(name => trips(name).topic)],
      now: () => clock,
    })
    clock = at
    onTestFinished(() => log.close())
  })

  const start = async (dataset = visits, insert: Store['insert'] = (...given) => store.insert(...given)) => {
    const problems: unknown[] = []
    const sink = await startSink({
      log,
      store: { insert, newest: dataset => store.newest(dataset) },
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

  it('moves a topic into its table, counts a repeated fact once and keeps its last version', async () => {
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

  it('keeps an invalid event with the reason, and goes on', async () => {
    const before = await total(metrics.sinkRejects)
    const wrong: Entry[] = [
      { key: 'r1', value: 'not json' },
      { key: 'r2', value: '{"id":"r2","more":2}' },
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
      expect.objectContaining({ event: wrong[1]?.value, reason: expect.stringContaining('seats') }),
      expect.objectContaining({ event: wrong[2]?.value, reason: expect.stringContaining('seats') }),
    ])
    expect((await total(metrics.sinkRejects)) - before).toBe(3)
    expect(String(problems[0])).toContain('visits: 3 refused, the first because not JSON')
  })

  it('finds the one row that the store refuses, and inserts the others', async () => {
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

  it('stores every event of a packed record, the last version of a fact, and rejects the wrong ones by their place', async () => {
    const dataset = { ...visits, packed: true }
    const events = [
      ['k1', 1],
      ['k2', 'many'],
      ['k3', 256],
      ['k1', 9],
    ]
    const value = JSON.stringify({ columns: ['id', 'seats'], rows: events })
    await log.append(visits.topic, [{ key: 'k', value }, visit('k4')])
    await start(dataset)
    await sunk()
    expect(await seats('k%')).toEqual([
      { id: 'k1', seats: 9 },
      { id: 'k4', seats: 1 },
    ])
    const rejected = await inRejects()
    expect(rejected).toEqual([
      expect.objectContaining({
        event: '{"id":"k2","seats":"many"}',
        reason: expect.stringContaining('seats'),
      }),
      expect.objectContaining({ event: '{"id":"k3","seats":256}', reason: 'seats: 256 is outside of UInt8' }),
    ])
    expect(rejected.map(({ place }) => `${place}`.split('/').at(-1))).toEqual(['1', '2'])
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

  it('stores what is mended and sent again, and leaves what is still wrong or was told since', async () => {
    const broken = (id: string, seats: unknown) => ({ key: id, value: JSON.stringify({ id, seats }) })
    await log.append(visits.topic, [
      broken('mend-1', 256),
      broken('mend-2', 'none'),
      broken('mend-3', 'none'),
    ])
    await log.append(visits.topic, [broken('mend-3', 3)])
    const { sink } = await start()
    await sunk()
    const open = await openRejects(log)
    expect(open.map(({ event }) => JSON.parse(event).id)).toEqual(['mend-1', 'mend-2', 'mend-3'])
    const mended = open.map(one => ({ ...one, event: one.event.replace('"none"', '7') }))
    const outcomes = await sendAgain(visits, mended, { log, now: () => clock })
    expect(outcomes.map(({ left }) => left)).toEqual([
      expect.stringContaining('256'),
      undefined,
      'the log has told of it again since then',
    ])
    await sunk()
    expect(await seats('mend-%')).toEqual([
      { id: 'mend-2', seats: 7 },
      { id: 'mend-3', seats: 3 },
    ])
    expect((await openRejects(log)).map(({ event }) => JSON.parse(event).id)).toEqual(['mend-1', 'mend-3'])
    await sink.close()
  })

  it('skips tombstones', async () => {
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

  it('ends, and does not try again, if the fault is ours', async () => {
    await log.append(visits.topic, [visit('o')])
    const { sink, problems } = await start(visits, () => Promise.reject(new TypeError('a slip')))
    await expect(sink.ended).rejects.toThrow('a slip')
    expect(problems).toEqual([])
    expect(await log.lag(visits.topic, 'sink')).toBe(1)
  })

  it('ends if the log cannot accept its rejects', async () => {
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

  describe('beside a newer version, which writes one column more', () => {
    const older = trips('rides')
    const newer = defineDataset({
      ...{ name: older.name, about: older.about, key: ['id'], identity: ['id'] },
      fields: {
        id: field(z.string(), 'String', 'Id'),
        seats: field(z.int(), 'UInt8', 'Seats'),
        gate: field(z.string().default('none'), 'String', 'Gate'),
      },
    }) as unknown as Dataset
    const rides = () => store.query('select id, seats, gate from rides order by id')

    it('stops before it commits what only the newer one can store, which then loses nothing', async () => {
      await store.apply([older])
      await log.append(older.topic, [visit('old-1')])
      const { sink, problems } = await start(older)
      await sunk(older)
      const refused = await total(metrics.sinkRejects)
      await log.append(older.topic, [
        visit('old-2'),
        { key: 'new-1', value: '{"id":"new-1","seats":2,"gate":"B"}' },
      ])
      await until(() => problems.length > 0, 'the older sink to stop')
      expect(String(problems[0])).toContain('has gate, which only a newer version knows')
      await log.append(older.topic, [visit('old-3')])
      expect(await log.lag(older.topic, 'sink')).toBe(3)
      await sink.close()
      await sink.ended
      expect(await log.lag(older.topic, 'sink')).toBe(3)

      await store.apply([newer])
      await start(newer)
      await sunk(newer)
      expect(await rides()).toEqual([
        { id: 'new-1', seats: 2, gate: 'B' },
        { id: 'old-1', seats: 1, gate: 'none' },
        { id: 'old-2', seats: 1, gate: 'none' },
        { id: 'old-3', seats: 1, gate: 'none' },
      ])
      expect([(await total(metrics.sinkRejects)) - refused, await inRejects()]).toEqual([0, []])
    })

    it('stops before an event that only the newer one can read, as the book of schemas says, and rejects others', async () => {
      const told: string[] = []
      const book = { log, now: () => at, tell: (line: string) => void told.push(line) }
      const wider = defineDataset({
        ...{ name: older.name, about: older.about, key: ['id'], identity: ['id'] },
        fields: {
          id: field(z.string(), 'String', 'Id'),
          seats: field(z.union([z.int(), z.literal('all')]), 'String', 'Seats'),
        },
      }) as unknown as Dataset
      await announce([older], book)
      await announce([older], book)
      expect(told).toEqual([])
      await announce([wider], book)
      expect(told).toEqual([
        `${older.topic.name}: an older version beside this one cannot read seats: stop it first`,
      ])
      await announce([older], book)
      expect(told[1]).toContain('a newer version has written here')

      await log.append(older.topic, [visit('poison', 'none'), visit('old-9')])
      const problems: unknown[] = []
      const sink = await startSink({
        ...{ log, store, dataset: older, now: () => at, newer: () => newerSchemas(log, older) },
        onProblem: problem => problems.push(problem),
      })
      onTestFinished(() => sink.close())
      await sunk(older)
      expect(await inRejects()).toMatchObject([{ reason: expect.stringContaining('seats') }])
      await log.append(older.topic, [visit('theirs', 'all')])
      await until(
        () => problems.some(problem => String(problem).includes('only a newer version knows')),
        'the stop',
      )
      expect(await log.lag(older.topic, 'sink')).toBe(1)
      expect(await inRejects()).toHaveLength(1)
    })

    it('stores on in the table that the newer one has altered', async () => {
      await store.apply([older])
      await store.apply([newer])
      await log.append(older.topic, [visit('old-4')])
      await start(older)
      await sunk(older)
      expect(await rides()).toContainEqual({ id: 'old-4', seats: 1, gate: 'none' })
    })

    it('no replay of an older version drops the column', async () => {
      await store.apply([newer])
      await log.append(older.topic, [{ key: 'new-2', value: '{"id":"new-2","seats":2,"gate":"C"}' }])
      const replayed = replay(older, {
        store,
        fewer: true,
        read: (handle, from) => readAlong(logUrl, older.topic, handle, { from }),
        onProgress: () => {},
        onRetry: () => {},
      })
      await expect(replayed).rejects.toThrow('which only a newer version knows')
      await start(newer)
      await sunk(newer)
      expect(await rides()).toContainEqual({ id: 'new-2', seats: 2, gate: 'C' })
    })
  })

  it('keeps a correction that a slow clock dates before what it corrects, also across a restart', async () => {
    const laps = trips('laps')
    await store.apply([laps])
    const { sink } = await start(laps)
    await log.append(laps.topic, [visit('a', 1), visit('b', 1)])
    await sunk(laps)
    // Another broker leads the partition from now on.
    clock -= 5_000
    await log.append(laps.topic, [visit('a', 2)])
    await sunk(laps)
    await sink.close()
    await log.append(laps.topic, [visit('b', 2)])
    await start(laps)
    await sunk(laps)
    expect(await store.query('select id, seats from laps order by id')).toEqual([
      { id: 'a', seats: 2 },
      { id: 'b', seats: 2 },
    ])
  })

  describe('during a replay', () => {
    const again = (dataset: Dataset, fewer = false, onProgress: (done: object) => void = () => {}) =>
      replay(dataset, {
        store,
        fewer,
        read: (handle, from) => readAlong(logUrl, dataset.topic, handle, { from }),
        onProgress,
        onRetry: error => {
          throw error
        },
      })
    const rows = (table: string) => store.query(`select id, seats from ${table} order by id`)
    const tables = () => store.query(`select name from system.tables where name like '%\\_replay'`)

    it('continues: its table gets another type, and no record is lost', async () => {
      const [before, after] = [trips(), trips('trips', 'UInt32')]
      await store.apply([before])
      const ids = Array.from({ length: 3000 }, (_, n) => `a${String(n).padStart(4, '0')}`)
      await log.append(
        before.topic,
        ids.map(id => visit(id)),
      )
      await start(before)
      await sunk(before)
      await expect(store.apply([after])).rejects.toThrow('npm run replay -- trips builds the table anew')

      const told: object[] = []
      let selling = true
      const seller = (async () => {
        for (let n = 0; selling; n++) {
          ids.push(`b${String(n).padStart(4, '0')}`)
          await log.append(before.topic, [visit(ids.at(-1) as string)])
        }
      })()
      const { facts } = await again(after, false, done => told.push(done))
      selling = false
      await seller
      await sunk(before)

      expect(facts).toBeGreaterThanOrEqual(3000)
      expect(told[0]).toEqual({ records: 2000, of: expect.any(Number) })
      expect(await rows('trips')).toEqual(ids.sort().map(id => ({ id, seats: 1 })))
      await store.apply([after])
      expect(await tables()).toEqual([])
    })

    it('keeps rows that the log no longer has, and takes the others from the log', async () => {
      const tours = trips('tours', 'UInt8', { ms: 60_000 })
      await store.apply([tours])
      await store.insert(tours, [{ event: { id: 'older', seats: 1 }, version: 1n }])
      await log.append(tours.topic, [visit('newer')])
      await start(tours)
      await sunk(tours)
      const [row] = await store.query<{ version: string }>(`select version from tours where id = 'newer'`)
      // A mistake by an earlier version of the reader.
      await store.insert(tours, [{ event: { id: 'newer', seats: 9 }, version: BigInt(row?.version ?? 0) }])
      // An earlier replay was killed in the middle.
      await store.beside(tours)
      await again(tours)
      expect(await rows('tours')).toEqual([
        { id: 'newer', seats: 1 },
        { id: 'older', seats: 1 },
      ])
      expect(await tables()).toEqual([])
    })

    it('keeps a table with more facts than the log has, unless the operator decides otherwise', async () => {
      const walks = { ...trips('walks'), topic: trips().topic }
      await store.apply([walks])
      await store.insert(walks, [{ event: { id: 'nowhere', seats: 1 }, version: 1n }])
      await expect(again(walks)).rejects.toThrow(FewerFacts)
      expect(await rows('walks')).toEqual([{ id: 'nowhere', seats: 1 }])
      expect(await tables()).toEqual([])
      await again(walks, true)
      expect(await rows('walks')).toEqual([])
    })
  })
})

describe('a sink that is killed between insert and commit', () => {
  it('has lost and repeated nothing when it is back', async () => {
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
