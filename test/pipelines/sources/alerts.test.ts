import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import { alerts } from '../../../pipelines/sources/alerts.ts'
import { Poller } from '../../../pipelines/sources/runner.ts'
import type { PollPage } from '../../../pipelines/sources/source.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { sourceTicks } from '../../../schemas/source-ticks.ts'
import { type WeatherAlert, weatherAlerts, weatherAlertsNow } from '../../../schemas/weather-alerts.ts'
import { alertsAt, type Zones } from '../../../services/origins/data/weather/alerts-at.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { testRecorded } from '../../samples.ts'
import { scratchFolder } from '../../scratch.ts'
import { polled, stock } from '../../services/origins/ask.ts'
import { until } from '../../until.ts'
import { startUpstream } from '../../upstream.ts'
import { type AlertGiven, alertCollection } from './nws-alerts.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')
const washington = [-77.0352, 38.8894] as const
const itsZones: Zones = { forecast: 'DCZ001', county: 'DCC001', fire: 'MDZ503' }
const around: [number, number][] = [
  [-78, 38],
  [-76, 38],
  [-76, 39.5],
  [-78, 39.5],
  [-78, 38],
]

async function upstreamOf(answer: (response: ServerResponse, asked: number) => string) {
  const upstream = await startUpstream((_, response) => {
    response.end(answer(response, upstream.asked.length))
  })
  const at = { NWS_URL: upstream.url }
  const outside = createOutside({ at, contact: 'a@example.org', now: () => noon })
  return { ...upstream, outside }
}

/** The result of one poll: events by name, names that are gone, and the cursor. */
async function poll(outside: Outside, cursor?: PollPage<unknown>['cursor']) {
  const pages = []
  for await (const page of alerts.pull(cursor as never, outside, {})) pages.push(page)
  const emitted = pages.flatMap(page => page.events)
  return {
    events: emitted.filter(({ gone }) => gone === undefined).map(({ event }) => event as WeatherAlert),
    gone: emitted.flatMap(({ gone }) => gone ?? []),
    cursor: pages.at(-1)?.cursor ?? cursor,
    drift: pages.flatMap(({ drift = [] }) => drift),
  }
}
const once = new AbortController().signal

async function read(...given: AlertGiven[]) {
  const { outside } = await upstreamOf(() => alertCollection(...given))
  return (await poll(outside(once))).events
}

test('an unknown property, a missing one and one of another type are drifts', async () => {
  const given = { id: 'a', colour: 'red', sent: undefined, status: 7 }
  const { outside } = await upstreamOf(() => alertCollection(given))
  const { drift } = await poll(outside(once))
  const told = drift.map(({ kind, what }) => `${kind} ${what}`)
  expect(told).toEqual(expect.arrayContaining(['unknown colour', 'vanished sent', 'type status']))
})

/** The alerts for Washington, as /weather returns them. */
async function told(given: AlertGiven[], zones = itsZones, now = noon) {
  const shelf = new Shelf(() => now)
  polled(shelf, 'alerts', now)
  stock(shelf, weatherAlerts, await read(...given))
  return alertsAt(shelf.view(weatherAlertsNow, undefined), washington, zones, now)
}
const names = (answered: readonly { event: string }[]) => answered.map(({ event }) => event)

describe('a poll', () => {
  test('requests all real alerts, and returns the new ones and those that are over', async () => {
    const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
    const bodies = [alertCollection(a, b), alertCollection(b, c), alertCollection(b, c)]
    const { asked, outside } = await upstreamOf((_, n) => bodies[n - 1] as string)
    const first = await poll(outside(once))
    expect(first.events.map(({ id }) => id)).toEqual(['a', 'b'])
    const second = await poll(outside(once), first.cursor)
    expect(second.events.map(({ id }) => id)).toEqual(['c'])
    expect(second.gone).toEqual([first.events[0]?.alert])
    expect(await poll(outside(once), second.cursor)).toMatchObject({ events: [], gone: [] })
    expect(asked[0]?.url).toBe('/alerts/active?status=actual&message_type=alert,update')
    expect(asked[0]?.headers).toMatchObject({
      accept: 'application/geo+json',
      'user-agent': expect.stringMatching(/^Farebox\/\d+\.\d+ \(\+a@example\.org\)$/),
    })
  })

  test('sends back the validators, and treats 304 as unchanged', async () => {
    const { asked, outside } = await upstreamOf((response, n) => {
      response.setHeader('last-modified', 'Sat, 21 Nov 2026 11:59:00 GMT')
      if (n === 1) return alertCollection({ id: 'a' })
      response.statusCode = 304
      return ''
    })
    const first = await poll(outside(once))
    expect(await poll(outside(once), first.cursor)).toEqual({
      drift: [],
      events: [],
      gone: [],
      cursor: first.cursor,
    })
    expect(asked[1]?.headers['if-modified-since']).toBe('Sat, 21 Nov 2026 11:59:00 GMT')
  })

  test('follows its pages', async () => {
    const { asked, outside } = await upstreamOf((response, n) =>
      n === 1
        ? JSON.stringify({
            ...JSON.parse(alertCollection({ id: 'a' })),
            pagination: { next: `http://${response.req.headers.host}/more` },
          })
        : alertCollection({ id: 'b' }),
    )
    expect((await poll(outside(once))).events.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(asked[1]?.url).toBe('/more')
  })

  test('without a single alert is only believed the second time', async () => {
    const { outside } = await upstreamOf((_, n) =>
      n === 1 ? alertCollection({ id: 'a' }) : alertCollection(),
    )
    const first = await poll(outside(once))
    const cursors: unknown[] = []
    await expect(async () => {
      for await (const page of alerts.pull(first.cursor as never, outside(once), {}))
        cursors.push(page.cursor)
    }).rejects.toThrow(UpstreamFailed)
    expect((await poll(outside(once), cursors[0])).gone).toHaveLength(1)
  })

  test.each(['<html>Maintenance</html>', '{"type":"FeatureCollection"}', '{"type":"FeatureCollection"', ''])(
    'with %j fails',
    async body => {
      const { outside } = await upstreamOf(() => body)
      await expect(poll(outside(once))).rejects.toThrow(UpstreamFailed)
    },
  )

  test('puts an unreadable alert into the rejects, once, and keeps the others until they are over', async () => {
    const bodies = [
      alertCollection({ id: 'good' }, { id: 'bad', expires: 'soon' }),
      alertCollection({ id: 'other' }, { id: 'bad', expires: 'soon' }),
    ]
    const { outside } = await upstreamOf((_, n) => bodies[n - 1] as string)
    const datasets = [weatherAlerts, sourceTicks, rejects]
    const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
      topics: datasets.map(({ topic }) => topic),
    })
    const shelf = new Shelf(() => noon)
    await shelf.stock(log, datasets)
    const poller = new Poller(alerts, { needs: {}, log, outside, now: () => noon }, undefined)
    const ids = () => [...shelf.peek(weatherAlertsNow)].map(({ id }) => id)

    expect(await poller.poll(once)).toBe(true)
    await until(() => ids().join() === 'good')
    expect(await poller.poll(once)).toBe(true)
    await until(() => ids().join() === 'other')
    let refused = 0
    const watching = await log.watch(rejects.topic, batch => {
      refused += batch.length
    })
    await watching.caughtUp
    expect(refused).toBe(1)
    await watching.close()
    await shelf.close()
    await log.close()
  })
})

describe('an alert is in force', () => {
  test.each(['Test', 'Exercise', 'Draft', 'System'])('unless its status is %s', async status => {
    expect(await read({ id: 'a', status })).toEqual([])
  })
  test('unless it is a cancellation, which also ends the alert that it cancels', async () => {
    const references = [{ identifier: 'a' }]
    expect(await read({ id: 'a' }, { id: 'b', messageType: 'Cancel', references })).toEqual([])
  })
  test('unless its update is there too', async () => {
    const update = { id: 'b', messageType: 'Update', references: [{ identifier: 'a' }] }
    expect((await read({ id: 'a' }, update)).map(({ id }) => id)).toEqual(['b'])
    expect(await read({ id: 'a', replacedBy: 'https://api.weather.gov/alerts/b' })).toEqual([])
  })
  test('until its event ends, or, without a known end, until its message lapses', async () => {
    const zones = ['forecast/DCZ001']
    const given = [
      { id: 'a', event: 'Lapsed', zones, expires: '2026-11-21T11:59:59Z' },
      { id: 'b', event: 'Ended', zones, ends: '2026-11-21T11:00:00Z' },
      { id: 'c', event: 'Goes on', zones, expires: '2026-11-21T11:00:00Z', ends: '2026-11-22T00:00:00Z' },
    ]
    expect(names(await told(given))).toEqual(['Goes on'])
  })
})

describe('at a point', () => {
  test('a polygon covers its inside, and nothing outside, not even in its own zones', async () => {
    const elsewhere = around.map(([lon, lat]): [number, number] => [lon - 5, lat])
    const zones = ['county/DCC001']
    const given = [
      { id: 'a', event: 'Flood Warning', zones, ring: around },
      { id: 'b', event: 'Tornado Warning', zones, ring: elsewhere },
    ]
    expect(names(await told(given))).toEqual(['Flood Warning'])
  })
  test.each([
    ['its public zone', ['forecast/DCZ001'], 'Wind Advisory', 1],
    ['its county', ['county/DCC001'], 'Air Quality Alert', 1],
    ['its fire zone', ['fire/MDZ503'], 'Red Flag Warning', 1],
    ['a public zone that is numbered like its fire zone', ['forecast/MDZ503'], 'Wind Advisory', 0],
    ['a marine zone', ['forecast/ANZ535'], 'Small Craft Advisory', 0],
  ])('an alert for %s', async (_, zones, event, count) => {
    expect(await told([{ id: 'a', event, zones }])).toHaveLength(count)
  })
  test('zones come from either list', async () => {
    expect(await told([{ id: 'a', zones: ['forecast/DCZ001'], ugc: [] }])).toHaveLength(1)
    expect(await told([{ id: 'a', zones: [], ugc: ['DCZ001'] }])).toHaveLength(1)
    expect(await told([{ id: 'a', zones: [], ugc: ['MDZ503'] }])).toHaveLength(1)
  })
  test('the most severe is first, then the one that begins first', async () => {
    const zones = ['forecast/DCZ001']
    const given = [
      { id: 'a', event: 'Minor one', zones, severity: 'Minor' },
      { id: 'b', event: 'Late', zones, severity: 'Severe', onset: '2026-11-21T18:00:00Z' },
      { id: 'c', event: 'Soon', zones, severity: 'Severe', onset: '2026-11-21T13:00:00Z' },
      { id: 'd', event: 'Worst', zones, severity: 'Extreme', onset: null },
      { id: 'e', event: 'Odd', zones, severity: 'Grave' },
    ]
    expect(names(await told(given))).toEqual(['Worst', 'Soon', 'Late', 'Minor one', 'Odd'])
  })
  test('a warning that was sent twice appears once, as last sent', async () => {
    const same = {
      event: 'Flood Advisory',
      zones: ['forecast/DCZ001'],
      areaDesc: 'DC',
      ends: '2026-11-21T20:00:00Z',
    }
    const given = [
      { ...same, id: 'a', headline: 'old', sent: '2026-11-21T10:00:00Z' },
      { ...same, id: 'b', headline: 'new', sent: '2026-11-21T11:00:00Z' },
    ]
    expect(await told(given)).toMatchObject([{ headline: 'new' }])
  })
  test('times appear as sent, and the headline is found', async () => {
    const zones = ['forecast/DCZ001']
    const parameters = { NWSheadline: ['WIND ADVISORY UNTIL 7 PM'] }
    const given = [
      { id: 'a', event: 'A', zones, headline: null, parameters },
      { id: 'b', event: 'B', zones, headline: null, ends: '2026-11-21T20:00:00-05:00' },
    ]
    const expires = '2026-11-21T19:00:00-05:00'
    expect(await told(given)).toEqual(
      expect.arrayContaining([
        { event: 'A', severity: 'Moderate', headline: 'WIND ADVISORY UNTIL 7 PM', expires, ends: null },
        { event: 'B', severity: 'Moderate', headline: null, expires, ends: '2026-11-21T20:00:00-05:00' },
      ]),
    )
  })
  test('an outline that is too large for a record is replaced by the zones', async () => {
    const ring = Array.from({ length: 60_000 }, (_, i): [number, number] => [-100 + i / 1e6, 40.123456])
    const [alert] = await read({ id: 'a', zones: ['county/DCC001'], ring })
    expect(alert).toMatchObject({ polygons: [], zones: ['county/DCC001'] })
  })
})

testRecorded(
  'recorded sets of alerts are read whole, an id that stands twice as one',
  async ({ samples }) => {
    for (const [folder, count] of [
      ['air-quality-alerts', 393],
      ['load-testing-ioc', 8],
    ] as const) {
      const body = readFileSync(join(samples, 'd-nws/wxgov-resolved', folder, 'alerts_active.json'), 'utf8')
      const { outside } = await upstreamOf(() => body)
      const { events } = await poll(outside(once))
      expect(events).toHaveLength(count)
      for (const event of events) expect(weatherAlerts.event.parse(event)).toEqual(event)
    }
  },
)
