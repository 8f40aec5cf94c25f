import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { defineDataset, field, keyText, latest, polledWithin } from '../../../schemas/dataset/dataset.ts'
import { datasets } from '../../../schemas/index.ts'
import { sourceTicks } from '../../../schemas/source-ticks.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { nextPlace, polled, stock } from '../origins/ask.ts'

const now = () => 1_000_000
const levels = latest<{ gauge: string; level: number }, { loose?: boolean }>({
  name: 'level_now',
  about: 'Levels',
  key: ['gauge'],
  held: true,
  source: 'river',
  fresh: about => about.asked.loose === true || polledWithin(60_000)(about),
})
const gauges = defineDataset({
  name: 'river_levels',
  about: 'Levels',
  fields: { gauge: field(z.string(), 'String', 'Gauge'), level: field(z.number(), 'Float64', 'Level') },
  key: ['gauge'],
  identity: ['gauge'],
  views: [levels],
})
const heldViews = datasets.flatMap(dataset =>
  dataset.views.filter(({ held }) => held).map(view => [view.name, dataset, view] as const),
)
const code = (ask: () => unknown): string => {
  try {
    ask()
    return 'answered'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('the shelf', () => {
  it('refuses a view that was never loaded, and one that is too old by its own rule', () => {
    const shelf = new Shelf(now)
    expect(code(() => shelf.view(levels, {}))).toBe('not_ready')
    polled(shelf, 'river', now() - 61_000)
    expect(code(() => shelf.view(levels, {}))).toBe('stale_data')
    expect(code(() => shelf.view(levels, { loose: true }))).toBe('answered')
    polled(shelf, 'river', now() - 60_000)
    expect(code(() => shelf.view(levels, {}))).toBe('answered')
  })

  it('holds the newest row per key, and forgets withdrawn rows', () => {
    const shelf = new Shelf(now)
    polled(shelf, 'river', now())
    stock(shelf, gauges, [
      { gauge: 'a', level: 1 },
      { gauge: 'b', level: 2 },
      { gauge: 'a', level: 3 },
    ])
    const held = shelf.view(levels, {})
    expect(held.get('a')).toEqual({ gauge: 'a', level: 3 })
    shelf.take(gauges, [{ key: 'b', value: null, ...nextPlace() }])
    expect([...held.rows()]).toEqual([{ gauge: 'a', level: 3 }])
  })

  it('sells nothing of a key whose newest event it cannot read, until it is told again', () => {
    const shelf = new Shelf(now)
    polled(shelf, 'river', now())
    const told = (key: string, value: string | null) => shelf.take(gauges, [{ key, value, ...nextPlace() }])
    const level = (of: string) => code(() => shelf.view(levels, {}).get(of)) as unknown
    const all = () => code(() => [...shelf.view(levels, {}).rows()])
    stock(shelf, gauges, [
      { gauge: 'a', level: 1 },
      { gauge: 'b', level: 2 },
    ])
    for (const wrong of ['{"gauge":"a","level":"high"}', 'not json']) {
      told('a', wrong)
      expect([level('a'), level('b'), all()]).toEqual(['stale_data', 'answered', 'stale_data'])
    }
    told('c', '{"gauge":"c"}')
    stock(shelf, gauges, [{ gauge: 'a', level: 3 }])
    expect([level('a'), level('c'), all()]).toEqual(['answered', 'stale_data', 'stale_data'])
    told('c', null)
    expect(all()).toBe('answered')
    expect([...shelf.peek(levels)].map(row => row.level).sort()).toEqual([2, 3])
  })

  it('is not harmed by records under keys that no event of theirs has', () => {
    const shelf = new Shelf(now)
    polled(shelf, 'river', now())
    const told = (key: string, value: string) => shelf.take(gauges, [{ key, value, ...nextPlace() }])
    stock(shelf, gauges, [{ gauge: 'a', level: 1 }])
    for (const value of ['not json', 'null', '[]', '{"gauge":"b","level":"high"}', '{"gauge":"b","level":2}'])
      told('junk', value)
    const held = shelf.view(levels, {})
    expect([...held.rows()]).toEqual([{ gauge: 'a', level: 1 }])
    expect(held.get('junk')).toBeUndefined()
    // In the place of a row it hides what has become of it.
    told('a', '{"gauge":"b","level":2}')
    expect(code(() => held.get('a'))).toBe('stale_data')
  })

  it('takes the columns that it knows of an event of a newer version, and counts it', async () => {
    const shelf = new Shelf(now)
    polled(shelf, 'river', now())
    const count = async () =>
      (await metrics.newerEvents.get()).values.find(({ labels }) => labels.topic === gauges.topic.name)?.value
    expect(await count()).toBeUndefined()
    shelf.take(gauges, [{ key: 'a', value: '{"gauge":"a","level":1,"unit":"m"}', ...nextPlace() }])
    expect([...shelf.view(levels, {}).rows()]).toEqual([{ gauge: 'a', level: 1 }])
    expect(await count()).toBe(1)
  })

  it('holds the later record, not the one that arrives last', () => {
    const shelf = new Shelf(now)
    polled(shelf, 'river', now())
    const told = (level: number, partition: number, offset: bigint, at: number) =>
      shelf.take(gauges, [{ key: 'a', value: JSON.stringify({ gauge: 'a', level }), partition, offset, at }])
    const level = () => shelf.view(levels, {}).get('a')?.level
    // The topic has got more partitions, and the newer one is read first.
    told(2, 7, 0n, 2_000)
    told(1, 1, 900n, 1_000)
    expect(level()).toBe(2)
    // The clock of the next leader is slow.
    told(3, 7, 1n, 1_500)
    expect(level()).toBe(3)
    shelf.take(gauges, [{ key: 'a', value: null, partition: 7, offset: 2n, at: 1_600 }])
    told(1, 1, 901n, 1_001)
    expect(level()).toBeUndefined()
  })

  it.each(heldViews)('holds the later record of %s, not the one that arrives last', (_, dataset, view) => {
    const shelf = new Shelf(now)
    // What an event means is not looked at here, only which of two counts.
    const told = { ...dataset, known: z.record(z.string(), z.unknown()) as never }
    const own = Object.fromEntries(dataset.key.map(column => [column, 'k']))
    const key = dataset.keyOf(own)
    const tell = (nth: number, partition: number, offset: bigint, at: number) =>
      shelf.take(told, [{ key, value: JSON.stringify({ ...own, nth }), partition, offset, at }])
    const held = () => [...shelf.peek(view)].map(row => (row as unknown as { nth: number }).nth)
    tell(2, 7, 0n, 2_000)
    tell(1, 1, 900n, 1_000)
    expect(held()).toEqual([2])
    // The broker that leads next has a slow clock.
    tell(3, 7, 1n, 1_500)
    expect(held()).toEqual([3])
  })

  it('builds a body once per change, and again once its time is over', () => {
    let time = now()
    const shelf = new Shelf(() => time)
    polled(shelf, 'river', time)
    let builds = 0
    const body = (until?: number) =>
      shelf.view(levels, {}).once('body', () => {
        builds += 1
        return until === undefined ? { value: builds } : { value: builds, until }
      })
    expect([body(), body()]).toEqual([1, 1])
    stock(shelf, gauges, [{ gauge: 'a', level: 1 }])
    expect([body(time + 1000), body()]).toEqual([2, 2])
    time += 1000
    expect(body()).toBe(3)
  })

  it('is stocked from the log before it is ready, and follows on', async () => {
    const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
      topics: [gauges.topic, sourceTicks.topic],
    })
    const put = (level: number) =>
      log.append(gauges.topic, [{ key: keyText('a'), value: JSON.stringify({ gauge: 'a', level }) }])
    await put(1)
    const shelf = new Shelf(now)
    await shelf.stock(log, [gauges, sourceTicks])
    polled(shelf, 'river', now())
    expect([shelf.ready, shelf.view(levels, {}).get('a')?.level]).toEqual([true, 1])
    await put(2)
    await until(() => shelf.view(levels, {}).get('a')?.level === 2)
    await shelf.close()
    await log.close()
  })
})
