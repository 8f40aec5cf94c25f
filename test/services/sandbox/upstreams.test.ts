import { afterEach, describe, expect, it } from 'vitest'
import { upstreams } from '../../../pipelines/index.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import { publishedDays } from '../../../pipelines/samples/rates.ts'
import { ecb } from '../../../pipelines/sources/ecb.ts'
import { faa } from '../../../pipelines/sources/faa.ts'
import { fetchFinancialsAsOf, fetchSubmissions } from '../../../pipelines/sources/sec/company.ts'
import { type AirportState, theFeed } from '../../../schemas/airport-events.ts'
import type { FxDay } from '../../../schemas/fx-rates.ts'
import { lastDue } from '../../../schemas/tables/target-calendar.ts'
import { readConfig } from '../../../services/config/config.ts'
import { serveLoopback } from '../../../services/sandbox/loopback.ts'
import { startUpstreams } from '../../../services/sandbox/upstreams.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const { upstreams: live } = readConfig({})

async function offline(now: number): Promise<Outside> {
  const found = await startUpstreams(live, {}, { now: () => now, live: async () => false })
  closing.push(found.close)
  expect([...found.samples]).toEqual(Object.keys(found.urls))
  const at = { ...live, ...found.urls }
  const outside = createOutside({ at, contact: 'nobody', now: () => now })
  return outside(new AbortController().signal)
}

async function daysOf(now: number, { pages = Number.POSITIVE_INFINITY } = {}): Promise<FxDay[]> {
  const days: FxDay[] = []
  let page = 0
  for await (const { events } of ecb.pull(undefined, await offline(now), {})) {
    days.push(...events.map(({ event }) => event as FxDay))
    if (++page === pages) break
  }
  return days.sort((a, b) => (a.day < b.day ? -1 : 1))
}
/** The first page holds the last ninety days, the others hold the history. */
const newestDays = (now: number) => daysOf(now, { pages: 1 })

describe('sample rates', () => {
  it.each([
    ['before publication', '2026-11-20T14:59:00Z', '2026-11-19'],
    ['after publication', '2026-11-20T15:01:00Z', '2026-11-20'],
    ['on a Sunday', '2026-11-22T20:00:00Z', '2026-11-20'],
    ['on Easter Monday', '2026-04-06T20:00:00Z', '2026-04-02'],
  ])('are those that the ECB would have published %s', async (_, now, newest) => {
    const days = await newestDays(Date.parse(now))

    expect(days.at(-1)?.day).toBe(newest)
    expect(days.length).toBeGreaterThan(60)
    for (const { rates } of days) expect(Object.keys(rates)).toHaveLength(29)
  })

  it('go back to the first day of the euro', async () => {
    const [first, ...others] = await daysOf(Date.parse('2026-11-20T20:00:00Z'))
    expect(first?.day).toBe('1999-01-04')
    expect(others.length).toBeGreaterThan(7_000)
  })

  it('do not change after publication', async () => {
    const [today, tomorrow] = await Promise.all(
      ['2026-11-19T20:00:00Z', '2026-11-20T20:00:00Z'].map(now => newestDays(Date.parse(now))),
    )
    expect(today?.at(-1)).toEqual(tomorrow?.at(-2))
    expect(tomorrow?.at(-1)?.rates).not.toEqual(tomorrow?.at(-2)?.rates)
  })

  it('are never behind what is due, on any day of a year', () => {
    for (let now = Date.parse('2026-01-01T17:30:00Z'); now < Date.parse('2027-01-01'); now += 86_400_000) {
      const [newest = ''] = publishedDays(now)
      const due = publishedDays(Date.parse(`${lastDue(now)}T17:30:00Z`))[0] ?? ''
      expect(newest >= due).toBe(true)
    }
  })
})

describe('the sample airport status', () => {
  it('is read whole, with every kind of event', async () => {
    const now = Date.parse('2026-11-21T23:50:10Z')
    const states: AirportState[] = []
    for await (const page of faa.pull(undefined, await offline(now), {}))
      states.push(...page.events.map(({ event }) => event as AirportState))

    const feed = states.find(({ airport }) => airport === theFeed)
    expect(feed).toMatchObject({
      feed_updated: '2026-11-21T23:50:10.000Z',
      airspace_programs: 2,
      unread_lists: [],
    })
    const types = states.flatMap(({ events }) => events.map(({ type }) => type))
    expect(new Set(types)).toEqual(
      new Set(['ground_stop', 'ground_delay', 'arrival_delay', 'departure_delay', 'closure']),
    )
    const closed = states.flatMap(({ events }) => events.filter(({ type }) => type === 'closure'))
    for (const { starts_at, ends_at } of closed) {
      expect(Date.parse(`${starts_at}`)).toBeLessThan(now)
      expect(Date.parse(`${ends_at}`)).toBeGreaterThan(now)
    }
    const stop = states.flatMap(({ events }) => events).find(({ type }) => type === 'ground_stop')
    expect(stop?.ends_at).toBe('2026-11-22T01:00:00.000Z')
  })
})

describe('the choice between live and sample', () => {
  async function upstreamSaying(body: string): Promise<string> {
    const server = await serveLoopback(() => ({ type: 'text/html', body }))
    closing.push(server.close)
    return server.url
  }

  it('counts an answer in the right format as live, and a login page as not', async () => {
    const at = {
      ECB_URL: await upstreamSaying('<Cube><Cube time="2026-11-20"></Cube></Cube>'),
      FAA_URL: await upstreamSaying('<html>Welcome to the hotel</html>'),
    }
    const found = await startUpstreams(at)
    closing.push(found.close)

    expect(found.samples.has('ECB_URL')).toBe(false)
    expect(found.samples.has('FAA_URL')).toBe(true)
    expect(Object.keys(found.urls)).toEqual([...found.samples])
  })

  it.each(upstreams)('$variable has a sample that would pass for live', async ({ probe, sample: load }) => {
    const { sample } = await load()
    const { pathname: path, searchParams: query } = new URL(probe?.path ?? '/', 'http://sample')
    const answer = sample({ path, query, now: Date.now(), payTo: '0x' })
    if (probe) expect(String(answer?.body)).toMatch(probe.proof)
    else expect(answer).toBeUndefined()
  })

  it('needs no sample if the caller brings the data', async () => {
    const found = await startUpstreams({}, { IP_DATABASE: '/somewhere.mmdb' })
    closing.push(found.close)
    expect(found.samples.has('DBIP_URL')).toBe(false)
    expect(found.choices.find(({ is }) => is === 'brought')?.upstream.variable).toBe('DBIP_URL')
  })
})

describe('the sample of filers', () => {
  const now = Date.parse('2026-11-20T20:00:00Z')
  it.each([
    [4_000_000_002, 'net_income', '1225000000', 'NetIncomeLossAvailableToCommonStockholdersBasic'],
    [4_000_000_003, 'revenue', '11800000000', 'RegulatedOperatingRevenue'],
    [4_000_000_004, 'revenue', '5200000000', 'InterestRevenueCalculatedUsingEffectiveInterestMethod'],
  ])('has lines under the name of another one: %i, %s', async (cik, metric, value, concept) => {
    const outside = await offline(now)
    expect((await fetchSubmissions(outside, cik))?.filings.length).toBe(2)
    const { points } = await fetchFinancialsAsOf(outside, cik, '2026-11-20', {})
    const point = points.find(each => each.metric === metric)
    expect(point).toMatchObject({ value, concept: expect.stringContaining(`:${concept}`) })
  })
})
