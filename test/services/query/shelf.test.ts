import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { defineDataset, field, keyText, latest, polledWithin } from '../../../schemas/dataset/dataset.ts'
import { sourceTicks } from '../../../schemas/source-ticks.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { polled, stock } from '../origins/ask.ts'

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
    shelf.take(gauges, [{ key: 'b', value: null }])
    expect([...held.rows()]).toEqual([{ gauge: 'a', level: 3 }])
  })

  it('shows nothing that the dataset refuses', () => {
    const shelf = new Shelf(now)
    polled(shelf, 'river', now())
    shelf.take(gauges, [
      { key: 'a', value: '{"gauge":"a","level":"high"}' },
      { key: 'b', value: 'not json' },
    ])
    expect(shelf.view(levels, {}).size).toBe(0)
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
