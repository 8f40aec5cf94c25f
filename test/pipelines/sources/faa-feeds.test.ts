import { describe, expect, test } from 'vitest'
import { type AirportState, airportEvents } from '../../../schemas/airport-events.ts'
import { busy, busyJson, closure, type Feeds, faaXml, feedOf, groundStop, pollFeeds } from './faa-upstream.ts'

const now = '2026-10-08T21:15:00.000Z'
const [statusFeed, eventsFeed, oldFeed] = [
  '/api/airport-status-information',
  '/api/airport-events',
  '/flyfaa/xmlAirportStatus.jsp',
]

const at = (states: readonly AirportState[], airport: string) =>
  states.find(state => state.airport === airport)?.events ?? []
const read = async (feeds: Feeds, airport: string) => at((await pollFeeds(feeds, now)).states, airport)

describe('the feeds agree on their common data', () => {
  test('each airport and event, with its words, minutes and scope', async () => {
    const xml = (await pollFeeds({ xml: busy }, now)).states
    const json = (await pollFeeds({ json: busyJson }, now)).states
    const named = xml.map(({ airport }) => airport)
    expect(json.map(({ airport }) => airport)).toEqual(named)
    for (const airport of named) {
      const led = at(xml, airport)
      const same = at(json, airport).filter(({ reason }) => reason !== 'deicing')
      expect(same, airport).toHaveLength(led.length)
      // Null in the XML: it does not have this field.
      for (const [i, event] of led.entries())
        expect(same[i], airport).toMatchObject(
          Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)),
        )
    }
  })

  test('an unknown member or field of the JSON, a missing one and one of another type are drifts', async () => {
    expect((await pollFeeds({ xml: busy, json: busyJson }, now)).drift).toEqual([])
    const changed = busyJson
      .replaceAll('"impactingCondition":"WX:Wind"', '"condition":"WX:Wind"')
      .replaceAll('"latitude":"39.8722"', '"cargo":1,"latitude":true')
      .replaceAll('"trend":"Increasing"}', '"trend":"Increasing"},"runway":"9"')
      .replaceAll('"airportLongName"', '"longName"')
    expect((await pollFeeds({ xml: busy, json: changed }, now)).drift.toSorted()).toEqual([
      'type json.latitude',
      'unknown json.arrivalDelay.runway',
      'unknown json.cargo',
      'unknown json.groundStop.condition',
      'unknown json.longName',
    ])
    const gone = busyJson.replaceAll('"impactingCondition"', '"condition"')
    expect((await pollFeeds({ xml: busy, json: gone }, now)).drift).toContain(
      'vanished json.groundDelay.impactingCondition',
    )
  })

  test('every event of the JSON passes its check', async () => {
    const { states } = await pollFeeds({ xml: busy, json: busyJson }, now)
    for (const state of states) expect(airportEvents.event.safeParse(state).error).toBeUndefined()
    expect(feedOf(states)).toMatchObject({ feed_updated: '2026-10-08T21:14:03.000Z', airspace_programs: 1 })
  })
})

describe('the JSON adds what the XML leaves out', () => {
  const both = { xml: busy, json: busyJson }

  test('the times of a program, and a longest delay that nobody filled in', async () => {
    expect(await read(both, 'EWR')).toMatchObject([
      {
        type: 'ground_delay',
        average_delay: '47 minutes',
        max_delay: '2 hours and 11 minutes',
        starts_at: '2026-10-08T19:00:00.000Z',
        ends_at: '2026-10-09T01:59:00.000Z',
      },
    ])
    expect(await read(both, 'PHL')).toMatchObject([
      {
        type: 'ground_stop',
        starts_at: '2026-10-08T20:35:00.000Z',
        ends_at: '2026-10-08T22:15:00.000Z',
      },
      { type: 'closure' },
    ])
  })

  test('the average of a delay', async () => {
    expect(await read(both, 'SFO')).toMatchObject([
      { type: 'arrival_delay', average_delay: '53 minutes', min_delay: '46 minutes' },
      { type: 'departure_delay', average_delay: '23 minutes' },
    ])
  })

  test('deicing, until it is over', async () => {
    expect(await read(both, 'DEN')).toMatchObject([
      { type: 'ground_stop' },
      { type: 'other', reason: 'deicing', ends_at: '2026-10-09T04:00:00.000Z' },
    ])
    const later = await pollFeeds(both, '2026-10-09T04:00:00.000Z')
    expect(at(later.states, 'DEN')).toMatchObject([{ type: 'ground_stop' }])
  })

  test('no closure twice, whatever the spaces in its words, but a second one of the airport', async () => {
    for (const airport of ['SAN', 'DJT', 'LAX', 'IWA'])
      expect(await read(both, airport)).toEqual(await read({ xml: busy, json: '[]' }, airport))
    const other = [{ airportId: 'SAN', freeForm: { simpleText: '!SAN 11/001 SAN RWY 09/27 CLSD' } }]
    expect(await read({ xml: busy, json: JSON.stringify(other) }, 'SAN')).toHaveLength(3)
  })

  test('no end for a permanent closure', async () => {
    const notam = '!TEB 09/001 TEB AD AP CLSD TO GLIDERS 2609010000-PERM'
    const json = JSON.stringify([
      {
        airportId: 'TEB',
        freeForm: { text: notam, startTime: '2026-09-01T00:00:00Z', endTime: '2027-09-01T00:00:00Z' },
      },
    ])
    expect(await read({ xml: faaXml(now, closure('TEB', notam)), json }, 'TEB')).toMatchObject([
      { starts_at: '2026-09-01T00:00:00.000Z', ends_at: null },
    ])
  })

  test('the time of a ground stop whose words in the XML are unreadable', async () => {
    const json = JSON.stringify([{ airportId: 'JFK', groundStop: { endTime: '2026-10-08T23:00:00Z' } }])
    expect(await read({ xml: faaXml(now, groundStop('JFK', 'soon')), json }, 'JFK')).toMatchObject([
      { ends_at: '2026-10-08T23:00:00.000Z', end_text: null },
    ])
  })

  test('an airport that is missing in the XML', async () => {
    const json = JSON.stringify([
      { airportId: 'mia', departureDelay: { averageDelay: '15', reason: 'wind' } },
    ])
    const { states } = await pollFeeds({ xml: faaXml(now), json }, now)
    expect(feedOf(states).airports).toEqual(['MIA'])
    expect(at(states, 'MIA')).toMatchObject([{ type: 'departure_delay', average_delay: '15 minutes' }])
  })
})

describe('a failed feed is reported as missed, and the next one read', () => {
  test('without the JSON, the XML alone', async () => {
    const { states, missed } = await pollFeeds({ xml: busy }, now)
    expect(missed).toEqual(['json'])
    expect(at(states, 'BOS')).toMatchObject([{ type: 'ground_delay', starts_at: null }])
  })

  const shapes: Record<string, string> = {
    'a page': '<html>Access Denied</html>',
    'no list': '{"airports":[]}',
    'an airport without a name': '[{"groundStop":null}]',
    'members of other names': '[{"airportId":"SFO","gdp":{"avg":44}}]',
    'a program that is text': '[{"airportId":"SFO","groundDelay":"44 minutes"}]',
    'a time that is none': '[{"airportId":"SFO","groundStop":{"endTime":"soon"}}]',
  }
  test.for(Object.entries(shapes))('JSON of another shape is missed: %s', async ([, json]) => {
    const { states, missed } = await pollFeeds({ xml: busy, json }, now)
    expect(missed).toEqual(['json'])
    expect(states).toEqual((await pollFeeds({ xml: busy }, now)).states)
  })

  test('without the XML, the same document at its old address', async () => {
    const { states, missed, asked } = await pollFeeds({ old: busy, json: busyJson }, now)
    expect(missed).toEqual(['xml'])
    expect(asked).toEqual([statusFeed, oldFeed, eventsFeed])
    expect(states).toEqual((await pollFeeds({ xml: busy, json: busyJson }, now)).states)
  })

  test('without either document, only the JSON, which has no time of its own', async () => {
    const { states, missed } = await pollFeeds({ xml: '<html/>', json: busyJson }, now)
    expect(missed).toEqual(['xml', 'old xml'])
    expect(feedOf(states)).toMatchObject({ dated: false, feed_updated: now, airspace_programs: 0 })
    expect(at(states, 'BOS')).toMatchObject([{ average_delay: '1 hour and 12 minutes' }])
  })

  test('without any, the poll fails and names each', async () => {
    await expect(pollFeeds({}, now)).rejects.toThrow(
      /airport-status-information answered 503; .*xmlAirportStatus.jsp answered 503; .*airport-events answered 503/,
    )
  })

  test('a missed feed is requested again, even if the document stays the same', async () => {
    const without = await pollFeeds({ xml: busy }, now, undefined, '"one"')
    expect(without.cursor?.validators).toEqual({})
    const whole = await pollFeeds({ xml: busy, json: busyJson }, now, without.cursor, '"one"')
    expect(whole.states.length).toBeGreaterThan(0)
    const same = await pollFeeds({ xml: busy, json: busyJson }, now, whole.cursor, '"one"')
    expect(same).toMatchObject({ states: [], asked: [statusFeed] })
  })

  test('each feed gets one request in a poll', async () => {
    for (const feeds of [{ xml: busy, json: busyJson }, { old: busy }, { xml: busy }]) {
      const { asked } = await pollFeeds(feeds, now)
      expect(new Set(asked).size).toBe(asked.length)
    }
  })
})
