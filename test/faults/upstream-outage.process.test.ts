import { expect, onTestFinished, test } from 'vitest'
import { forecastLookup, placeLookup } from '../../pipelines/lookups/forecast.ts'
import { geocodeLookup } from '../../pipelines/lookups/geocode.ts'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../pipelines/lookups/runner.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { alerts } from '../../pipelines/sources/alerts.ts'
import { Poller } from '../../pipelines/sources/runner.ts'
import { geocodes } from '../../schemas/geocodes.ts'
import { rejects } from '../../schemas/rejects.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'
import { weatherAlerts } from '../../schemas/weather-alerts.ts'
import { weatherForecasts } from '../../schemas/weather-forecasts.ts'
import { weatherPoints } from '../../schemas/weather-points.ts'
import { geocode } from '../../services/origins/data/geocode/geocode.ts'
import { weather } from '../../services/origins/data/weather/weather.ts'
import { Shelf } from '../../services/query/shelf.ts'
import { scratchFolder } from '../scratch.ts'
import { ask } from '../services/origins/ask.ts'
import { SimulatedTime, SimulatedUpstreams } from '../simulated.ts'
import { until } from '../until.ts'

const [secondMs, minuteMs] = [1_000, 60_000]
const datasets = [weatherAlerts, weatherForecasts, weatherPoints, geocodes, sourceTicks, rejects]
const addressOf = (n: number) => ({ address: `${n} Main St NW, Washington, DC 20500` })
const pointOf = (n: number) => ({ lat: 30 + n / 10, lon: -90 - (n % 20) })

/** A query process and the alerts poller, both on simulated time. */
async function rehearse() {
  const time = new SimulatedTime(Date.parse('2026-11-21T12:00:00Z'))
  const upstreams = new SimulatedUpstreams(time)
  const { now } = time
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: datasets.map(({ topic }) => topic),
    now,
  })
  const shelf = new Shelf(now)
  await shelf.stock(log, datasets)
  const lookups = [geocodeLookup, placeLookup, forecastLookup] as readonly unknown[] as readonly Lookup[]
  const finder = await startLookups(lookups, {
    outside: upstreams.outside,
    now,
    log,
    waiting: time,
  })
  const poller = new Poller(alerts, { needs: {}, log, outside: upstreams.outside, now }, undefined)
  onTestFinished(async () => {
    await finder.close()
    await shelf.close()
    await log.close()
  })
  const asking = { shelf, now, find: finder.find }
  return {
    time,
    upstreams,
    asks: {
      weather: (body: object) => time.until(ask(weather, body, asking)),
      geocode: (body: object) => time.until(ask(geocode, body, asking)),
    },
    async poll() {
      const polling = poller.poll(new AbortController().signal)
      if (upstreams.mood === 'hanging') await time.pass(20 * secondMs)
      const good = await polling
      if (good) await until(() => shelf.polledAt('alerts') === now(), 'the shelf to hear of the poll')
      return good
    },
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code

test.each(['refusing', 'hanging'] as const)('both upstreams are %s for an hour', async mood => {
  const { time, upstreams, asks, poll } = await rehearse()
  expect(await poll()).toBe(true)
  const known = [1, 2, 3, 4, 5]
  for (const n of known) {
    expect((await asks.geocode(addressOf(n))).value).toMatchObject({ match_count: 1 })
    expect((await asks.weather(pointOf(n))).value).toMatchObject({ alerts: [{ event: 'Wind Advisory' }] })
  }

  const polledAt = time.now()
  const downAt = time.now()
  upstreams.mood = mood
  upstreams.asked = []
  const answered = { soon: 0, late: 0 }
  let fresh = 100
  let longestMs = 0
  let questions = 0
  while (time.now() < downAt + 60 * minuteMs) {
    const nextAt = time.now() + 30 * secondMs
    expect(await poll()).toBe(false)
    for (const n of known) {
      const place = await asks.geocode(addressOf(n))
      expect(place.value).toMatchObject({ match_count: 1 })
      expect(place.tookMs).toBe(0)

      const isSoon = time.now() - polledAt <= 9 * minuteMs
      const isLate = time.now() - polledAt > 10 * minuteMs
      const { value, error } = await asks.weather(pointOf(n))
      if (isSoon) {
        expect(error).toBeUndefined()
        expect(value?.forecast_updated).toBe('2026-11-21T12:00:00+00:00')
        answered.soon += 1
      }
      if (isLate) {
        expect(codeOf(error)).toBe('stale_data')
        answered.late += 1
      }
    }
    for (let i = 0; i < 3; i++) {
      fresh += 1
      questions += 2
      const [place, forecast] = [await asks.geocode(addressOf(fresh)), await asks.weather(pointOf(fresh))]
      expect(place.error).toBeInstanceOf(UpstreamFailed)
      expect(forecast.error).toBeDefined()
      longestMs = Math.max(longestMs, place.tookMs, forecast.tookMs)
    }
    await time.pass(Math.max(0, nextAt - time.now()))
  }
  expect(answered.soon).toBeGreaterThanOrEqual(5)
  expect(answered.late).toBeGreaterThan(100)
  expect(longestMs).toBeLessThanOrEqual(8 * secondMs)

  // Each lookup may fail a few times before it notices. After that it sends one request per 30 s.
  const probes = 60 * 2
  const sent = {
    census: upstreams.count('http://census'),
    nws: upstreams.count('http://nws') - upstreams.count('/alerts/'),
  }
  expect(sent.census).toBeLessThanOrEqual(5 + 4 + probes)
  expect(sent.nws).toBeLessThanOrEqual(10 + 16 + probes)
  expect(questions).toBeGreaterThan(200)

  upstreams.mood = 'up'
  await time.pass(31 * secondMs)
  expect(await poll()).toBe(true)
  expect((await asks.geocode(addressOf(999))).value).toMatchObject({ match_count: 1 })
  expect((await asks.weather(pointOf(99))).value).toMatchObject({ forecast: expect.any(Array) })
  for (const n of known) {
    const { value } = await asks.weather(pointOf(n))
    expect(value).toMatchObject({ forecast_updated: expect.stringMatching(/^2026-11-21T1[34]/) })
  }
})

test('a geocoder that takes 12 s: 502 after 8 s, and the retry is answered', async () => {
  const { time, upstreams, asks } = await rehearse()
  upstreams.latencyMs = () => 12 * secondMs
  const first = await asks.geocode(addressOf(1))
  expect(first.error).toBeInstanceOf(UpstreamFailed)
  expect(first.tookMs).toBe(8 * secondMs)
  await time.pass(4 * secondMs)
  const retry = await asks.geocode(addressOf(1))
  expect(retry.value).toMatchObject({ match_count: 1 })
  expect(retry.tookMs).toBe(0)
  expect(upstreams.asked).toHaveLength(1)
})

test('popular cells are fetched ahead of demand, others are not', async () => {
  const { time, upstreams, asks, poll } = await rehearse()
  for (let round = 0; round < 8; round++) {
    await poll()
    await asks.weather(pointOf(1))
    if (round === 0) await asks.weather(pointOf(2))
    await time.pass(15 * secondMs)
  }
  const fetched = () => upstreams.count('/gridpoints/')
  expect(fetched()).toBe(2)
  // All callers have left. Each renewal halves the demand, until there is none.
  await time.pass(60 * minuteMs)
  expect(fetched()).toBeGreaterThan(3)
  expect(fetched()).toBeLessThan(10)
})
