/**
 * /weather and /geocode: the cost of an answer from memory, beside a bare route that sends the same bytes, and the
 * number of upstream requests for a day of questions.
 */
import { Pool } from 'undici'
import { forecastLookup, placeLookup } from '../../pipelines/lookups/forecast.ts'
import { geocodeLookup } from '../../pipelines/lookups/geocode.ts'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../pipelines/lookups/runner.ts'
import { geocode } from '../../services/origins/data/geocode/geocode.ts'
import { weather as operation } from '../../services/origins/data/weather/weather.ts'
import { Shelf } from '../../services/query/shelf.ts'
import { askText, polled } from '../services/origins/ask.ts'
import { SimulatedTime, SimulatedUpstreams } from '../simulated.ts'
import { start } from './child.ts'
import { forgetfulLog } from './forgetful-log.ts'
import { addressOf, hundredsOfAlerts, pointOf, randomFrom, zipf } from './weather-questions.ts'

const [secondMs, minuteMs, dayMs] = [1_000, 60_000, 86_400_000]

export async function weather(): Promise<void> {
  await latency()
  await aDay()
}

const rounds = 5
const perRound = 2_000

async function latency(): Promise<void> {
  const server = await start('weather')
  const pool = new Pool(server.url, { connections: 1 })
  const request = { method: 'POST', headers: { 'content-type': 'application/json' } } as const
  const took: Record<string, number[]> = { '/bare': [], '/weather': [] }
  for (let round = 0; round <= rounds; round++)
    for (const path of Object.keys(took))
      for (let i = 0; i < perRound; i++) {
        const startedAt = performance.now()
        const { body } = await pool.request({ ...request, path, body: '{"lat":38.8894,"lon":-77.0352}' })
        await body.arrayBuffer()
        // The first round only warms up and does not count.
        if (round) took[path]?.push(performance.now() - startedAt)
      }
  await pool.close()
  await server.stop()
  const shown = (path: string) => `p50 ${quantile(took[path], 0.5)} ms, p99 ${quantile(took[path], 0.99)} ms`
  console.log(`cache hit    bare Fastify ${shown('/bare')}   /weather ${shown('/weather')}`)
}

const quantile = (values: readonly number[] = [], q: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? 0).toFixed(3)

const questions = 100_000
const places = 30_000

async function aDay(): Promise<void> {
  const time = new SimulatedTime(Date.parse('2026-11-21T00:00:00Z'))
  const { now } = time
  const upstreams = new SimulatedUpstreams(time)
  const random = randomFrom(42)
  upstreams.updateMs = 3 * 60 * minuteMs
  upstreams.cacheControl = 'public, max-age=282, s-maxage=3600'
  // Seen live: the weather answers in a third of a second, the geocoder in 0.3 to 14 s, half of the time within 7.5 s.
  upstreams.latencyMs = url => (url.includes('census') ? (0.3 + random() ** 0.9 * 13.7) * secondMs : 300)
  const shelf = new Shelf(now)
  hundredsOfAlerts(shelf)
  const { log, bytes } = forgetfulLog()
  const lookups = [geocodeLookup, placeLookup, forecastLookup] as readonly unknown[] as readonly Lookup[]
  const finder = await startLookups(lookups, {
    outside: upstreams.outside,
    now,
    log,
    waiting: time,
  })
  const asking = { shelf, now, find: finder.find }
  const rank = zipf(places, random)
  const counts = { atOnce: 0, waited: 0, failed: 0 }
  const ofKind = { point: [0, 0], address: [0, 0], geocode: [0, 0] } as Record<string, [number, number]>

  const ask = async (kind: string, answer: Promise<string>) => {
    const startedAt = now()
    const failed = await answer.then(
      () => false,
      () => true,
    )
    const wasAtOnce = !failed && now() === startedAt
    counts[failed ? 'failed' : wasAtOnce ? 'atOnce' : 'waited'] += 1
    const [all, hits] = ofKind[kind] as [number, number]
    ofKind[kind] = [all + 1, hits + (wasAtOnce ? 1 : 0)]
  }
  const gapMs = dayMs / questions
  for (let i = 0; i < questions; i++) {
    if (i % Math.floor(minuteMs / gapMs) === 0) polled(shelf, 'alerts', now())
    const [kind, of] = [random(), rank()]
    if (kind < 0.7) void ask('point', askText(operation, pointOf(of), asking))
    else if (kind < 0.85) void ask('address', askText(operation, { address: addressOf(of) }, asking))
    else void ask('geocode', askText(geocode, { address: addressOf(of) }, asking))
    await time.pass(gapMs)
  }
  await time.pass(minuteMs)
  const share = (part: number, whole = questions) => `${((100 * part) / whole).toFixed(1)} %`
  const perMinute = (part: string) => `${(upstreams.count(part) / 1440).toFixed(1)}/min`
  console.log(
    `a day        ${questions.toLocaleString('en')} questions on ${places.toLocaleString('en')} places by Zipf's law: ` +
      `${share(counts.atOnce)} at once, ${share(counts.waited)} after a fetch, ${share(counts.failed)} free 502`,
  )
  for (const [kind, [all, hits]] of Object.entries(ofKind))
    console.log(`             by ${kind} ${share(hits, all)} at once`)
  console.log(
    `             upstream: points ${perMinute('/points/')}, forecasts ${perMinute('/gridpoints/')}, ` +
      `geocoder ${perMinute('census')}, alerts 2.0/min; ${Math.round(bytes() / 1e6)} MB told to the log`,
  )
  await finder.close()
}
