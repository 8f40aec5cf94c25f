import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forecastLookup, type Point, placeLookup } from '../../../pipelines/lookups/forecast.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { weatherForecasts } from '../../../schemas/weather-forecasts.ts'
import { weatherPoints } from '../../../schemas/weather-points.ts'
import { testRecorded } from '../../samples.ts'
import { until } from '../../until.ts'
import { hurried, openFinding } from './finding.ts'
import { forecastBody, pointBody, problems, startNws, type Told } from './nws-upstream.ts'

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const start = Date.parse('2026-11-21T12:00:00Z')
const washington: Point = { lat: 38.8894, lon: -77.0352 }
const cell = 'LWX/96,70'
const forecastPath = `/gridpoints/${cell}/forecast?units=us`

async function over(answer: Parameters<typeof startNws>[0]) {
  let now = start
  const nws = await startNws(answer)
  const finding = await openFinding([placeLookup, forecastLookup], {
    at: { NWS_URL: nws.url },
    datasets: [weatherPoints, weatherForecasts],
    now: () => now,
    waiting: hurried(() => now),
  })
  return {
    nws,
    finding,
    now: () => now,
    pass: (ms: number) => {
      now += ms
    },
    place: (point: Point) => finding.finder.find(placeLookup, point),
    forecast: (of = cell) => finding.finder.find(forecastLookup, of),
  }
}

describe('a point', () => {
  test('is resolved to its cell and zones, which are kept for 7 days', async () => {
    const { nws, place, pass, finding } = await over(() => ({ body: pointBody(cell) }))
    const found = {
      cell,
      marine: false,
      zones: { forecast: 'DCZ001', county: 'DCC001', fire: 'DCZ001' },
      city: 'Washington',
      state: 'DC',
      timeZone: 'America/New_York',
    }
    expect(await place(washington)).toEqual(found)
    expect(nws.asked[0]?.headers).toMatchObject({ accept: 'application/geo+json' })
    expect(nws.asks()).toEqual(['/points/38.8894,-77.0352'])
    pass(5 * dayMs)
    expect(await place(washington)).toEqual(found)
    await finding.restart()
    expect(await place(washington)).toEqual(found)
    expect(nws.asks()).toEqual([])
    pass(3 * dayMs)
    await place(washington)
    expect(nws.asks()).toHaveLength(1)
  })

  test('leaves the process only as a hash', async () => {
    const { place, finding } = await over(() => ({ body: pointBody(cell) }))
    await place(washington)
    const told: string[] = []
    const watching = await finding.log.watch(weatherPoints.topic, batch => {
      for (const { key, value } of batch) told.push(`${key} ${value}`)
    })
    await until(() => told.length === 1)
    await watching.close()
    expect(told[0]).not.toContain('38.8')
    expect(weatherPoints.audience).toBe('service')
  })

  test('outside the US has no forecast, for 30 days', async () => {
    const { nws, place, pass } = await over(() => problems.noPoint)
    expect(await place({ lat: 51.5, lon: -0.12 })).toBeUndefined()
    pass(20 * dayMs)
    expect(await place({ lat: 51.5, lon: -0.12 })).toBeUndefined()
    expect(nws.asks()).toHaveLength(1)
  })

  test('without a forecast address has no cell', async () => {
    const { place } = await over(() => ({ body: pointBody(null) }))
    expect(await place({ lat: -14.3, lon: -170.7 })).toMatchObject({ cell: null, marine: false })
  })

  test('is resolved again if its cell no longer has a forecast', async () => {
    let now = cell
    const { nws, place } = await over(() => ({ body: pointBody(now) }))
    await place(washington)
    now = 'LWX/97,71'
    expect(await place({ ...washington, without: { cell, marine: false } })).toMatchObject({ cell: now })
    expect(await place(washington)).toMatchObject({ cell: now })
    expect(nws.asks()).toHaveLength(2)
  })

  test('in a hole of the grid is a failure', async () => {
    const { place } = await over(() => ({ body: pointBody(cell) }))
    await expect(place({ ...washington, without: { cell, marine: false } })).rejects.toThrow(UpstreamFailed)
  })

  test('with a cell over water takes the nearest cell on land, with its own zones', async () => {
    const shore: Point = { lat: 40.7, lon: -74.02 }
    const cells: Record<string, string> = {
      '/points/40.7,-74.02': 'OKX/33,35',
      '/points/40.7,-74': 'OKX/33,35',
      '/points/40.7,-74.04': 'OKX/32,35',
      '/points/40.72,-74.02': 'OKX/33,36',
    }
    const { nws, place } = await over((path): Told => {
      if (cells[path]) return { body: pointBody(cells[path], { county: path }) }
      return path.includes('33,36') ? { body: forecastBody(start, start) } : problems.marine
    })
    const without = { cell: 'OKX/33,35', marine: true }
    expect(await place({ ...shore, without })).toMatchObject({
      cell: 'OKX/33,36',
      zones: { county: '40.7,-74.02' },
    })
    expect(nws.asks()).toEqual([
      '/points/40.7,-74.02',
      '/points/40.7,-74',
      '/points/40.7,-74.04',
      '/gridpoints/OKX/32,35/forecast?units=us',
      '/points/40.72,-74.02',
      '/gridpoints/OKX/33,36/forecast?units=us',
    ])
  })

  test('at sea has no cell', async () => {
    const { place } = await over(path =>
      path.startsWith('/points') ? { body: pointBody('OKX/50,10') } : problems.marine,
    )
    const without = { cell: 'OKX/50,10', marine: true }
    expect(await place({ lat: 40.2, lon: -73.6, without })).toMatchObject({ cell: null, marine: true })
  })
})

describe('a forecast', () => {
  test('has the values of the service', async () => {
    const { forecast, nws } = await over(() => ({ body: forecastBody(start, start - hourMs) }))
    expect(await forecast()).toMatchObject({
      missing: null,
      updated: '2026-11-21T11:00:00+00:00',
      periods: expect.arrayContaining([
        {
          name: 'Period 1',
          start: '2026-11-21T07:00:00-05:00',
          end: '2026-11-21T19:00:00-05:00',
          temperature: '50',
          temperature_unit: 'F',
          precipitation_chance: null,
          wind: '6 to 10 mph',
          wind_direction: 'WNW',
          summary: 'Sunny',
          detail: 'Sunny, with a high near 50.',
        },
      ]),
    })
    expect(nws.asks()).toEqual([forecastPath])
  })

  test('with a measured temperature is converted into Fahrenheit', async () => {
    const temperature = { unitCode: 'wmoUnit:degC', value: 10.5 }
    const { forecast } = await over(() => ({ body: forecastBody(start, start, 1, { temperature }) }))
    expect((await forecast())?.periods[0]).toMatchObject({ temperature: '51', temperature_unit: 'F' })
  })

  test('lasts as long as the service says, is renewed before, and fetched only if it changed', async () => {
    const headers = { 'cache-control': 'public, max-age=300', 'last-modified': 'then' }
    let changed = true
    const { nws, forecast, pass } = await over(() =>
      changed ? { body: forecastBody(start, start), headers } : { status: 304, body: '', headers },
    )
    await forecast()
    pass(3 * minuteMs)
    await forecast()
    expect(nws.asks()).toEqual([forecastPath])
    changed = false
    pass(1.5 * minuteMs)
    await forecast()
    await until(() => nws.asked.length === 1)
    expect(nws.asked[0]?.headers['if-modified-since']).toBe('then')
    pass(3 * minuteMs)
    expect((await forecast())?.periods).toHaveLength(14)
    expect(nws.asks()).toHaveLength(1)
  })

  test('lasts longer if shared caches may keep it longer, and is checked from the tenth minute on', async () => {
    const headers = { 'cache-control': 'public, max-age=282, s-maxage=3600' }
    let updated = start
    const { nws, forecast, pass } = await over(() => ({ body: forecastBody(start, updated), headers }))
    await forecast()
    pass(9 * minuteMs)
    await forecast()
    expect(nws.asks()).toHaveLength(1)
    updated = start + 20 * minuteMs
    pass(40 * minuteMs)
    expect((await forecast())?.updated).toBe('2026-11-21T12:00:00+00:00')
    await until(() => nws.asks().length === 1)
    await until(async () => (await forecast())?.updated === '2026-11-21T12:20:00+00:00')
    updated = start + 120 * minuteMs
    pass(61 * minuteMs)
    expect((await forecast())?.updated).toBe('2026-11-21T14:00:00+00:00')
  })

  test('is fetched once for all callers of the same moment', async () => {
    const { nws, forecast } = await over(() => ({ body: forecastBody(start, start) }))
    await Promise.all(Array.from({ length: 20 }, () => forecast()))
    expect(nws.asks()).toHaveLength(1)
  })

  test.each(['unexpected', 'unavailable', 'forbidden'] as const)(
    'is fetched again after a problem: %s',
    async problem => {
      let first = true
      const { nws, forecast } = await over(() => {
        if (!first) return { body: forecastBody(start, start) }
        first = false
        return problems[problem]
      })
      expect((await forecast())?.periods).toHaveLength(14)
      expect(nws.asks()).toHaveLength(2)
    },
  )

  test('of an expired grid is not fetched again, and the kept one serves for 12 hours', async () => {
    let expired = false
    const { nws, forecast, pass } = await over(() =>
      expired ? problems.expiredGrid : { body: forecastBody(start, start) },
    )
    await forecast()
    expired = true
    pass(hourMs)
    nws.asks()
    expect((await forecast())?.updated).toBe('2026-11-21T12:00:00+00:00')
    await forecast()
    expect(nws.asks()).toHaveLength(1)
    pass(10.9 * hourMs)
    expect((await forecast())?.periods).toHaveLength(14)
    pass(0.2 * hourMs)
    await expect(forecast()).rejects.toThrow(UpstreamFailed)
  })

  test('without one: over water, or a hole', async () => {
    const { forecast } = await over(path => (path.includes('OKX') ? problems.marine : problems.noPoint))
    expect(await forecast('OKX/33,35')).toMatchObject({ missing: 'marine', periods: [] })
    expect(await forecast()).toMatchObject({ missing: 'hole' })
  })

  test('that is older than the kept one is ignored', async () => {
    let updated = start
    const { forecast, pass } = await over(() => ({ body: forecastBody(start, updated) }))
    await forecast()
    updated = start - dayMs
    pass(hourMs)
    expect((await forecast())?.updated).toBe('2026-11-21T12:00:00+00:00')
  })

  test.each(['{"properties":{}}', '{"properties":', '<html></html>'])(
    'that cannot be read fails: %s',
    async body => {
      const { forecast } = await over(() => ({ body }))
      await expect(forecast()).rejects.toThrow(UpstreamFailed)
    },
  )

  test('is known to an instance that starts later, while the service is away', async () => {
    let up = true
    const { forecast, pass, finding } = await over(() =>
      up ? { body: forecastBody(start, start) } : problems.unavailable,
    )
    await forecast()
    up = false
    pass(11 * hourMs)
    await finding.restart()
    expect((await forecast())?.periods).toHaveLength(14)
  })
})

testRecorded('recorded places and forecasts are read', async ({ samples }) => {
  const recorded = (file: string) => ({ body: readFileSync(join(samples, 'd-nws', file), 'utf8') })
  const { place, forecast } = await over(path => {
    if (path === '/points/33.8,-117.882') return recorded('live/mlb-points.json')
    if (path === '/points/25.048,-77.3554')
      return { status: 404, ...recorded('live/landfall-points-nassau-bs.json') }
    if (path.startsWith('/points')) return recorded('live/pnwbite-points.json')
    if (path.includes('TAE')) return recorded('pynws/gridpoints_forecast_us.json')
    return recorded('wxgov-resolved/load-testing-ioc/gridpoints_OKX_1_1_forecast.json')
  })
  expect(await place({ lat: 33.8, lon: -117.882 })).toMatchObject({
    cell: 'SGX/38,66',
    zones: { forecast: 'CAZ554', county: 'CAC059' },
    city: 'Anaheim',
  })
  expect(await place({ lat: 25.048, lon: -77.3554 })).toBeUndefined()
  expect(await place({ lat: 46.6483, lon: -119.8833 })).toMatchObject({
    cell: 'OTX/54,56',
    zones: { fire: 'WAZ707' },
  })
  expect((await forecast('OKX/1,1'))?.periods.length).toBeGreaterThan(12)
  expect((await forecast('TAE/1,1'))?.periods.length).toBeGreaterThan(0)
})
