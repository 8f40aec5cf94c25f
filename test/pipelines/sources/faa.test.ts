import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { readDocument } from '../../../pipelines/sources/faa/document.ts'
import { airportEvents } from '../../../schemas/airport-events.ts'
import { testRecorded } from '../../samples.ts'
import { busy, closure, faaXml, feedOf, groundDelay, groundStop, poll, readAirport } from './faa-upstream.ts'

const now = '2026-10-08T21:15:00.000Z'

describe('a busy document', () => {
  test('comes from the live path and has every airport, each event within its check', async () => {
    const { states, asked, cursor } = await poll(busy, now)
    expect(asked).toEqual(['/api/airport-status-information', '/api/airport-events'])
    const airports = ['BOS', 'DEN', 'DJT', 'EWR', 'IWA', 'LAX', 'LGA', 'PHL', 'SAN', 'SFO']
    expect(states.map(state => state.airport)).toEqual([...airports, '*'])
    expect(cursor?.airports).toEqual(airports)
    for (const state of states) {
      expect(airportEvents.event.safeParse(state).error).toBeUndefined()
      expect(state.feed_updated).toBe('2026-10-08T21:14:03.000Z')
    }
    expect(feedOf(states)).toMatchObject({
      airports,
      airspace_programs: 1,
      unread_lists: [],
      dated: true,
      events: [],
    })
  })

  test('one Delay with both directions is two events', async () => {
    expect(await readAirport(busy, now, 'SFO')).toMatchObject([
      {
        type: 'arrival_delay',
        reason: 'low ceilings & wind',
        min_delay: '46 minutes',
        max_delay: '1 hour',
        trend: 'increasing',
      },
      { type: 'departure_delay', min_delay: '16 minutes', max_delay: '30 minutes', trend: 'decreasing' },
    ])
  })

  test('missing fields of an entry are null', async () => {
    expect(await readAirport(busy, now, 'LGA')).toMatchObject([
      {
        type: 'departure_delay',
        min_delay: null,
        max_delay: '45 minutes',
        trend: null,
        starts_at: null,
        ends_at: null,
      },
    ])
  })

  test('lists are recognised by their element: two with one name are both read', async () => {
    expect((await readAirport(busy, now, 'SAN')).map(event => event.affects_airline_flights)).toEqual([
      true,
      false,
    ])
    expect((await readAirport(busy, now, 'PHL')).map(event => event.type)).toEqual(['ground_stop', 'closure'])
  })

  test('a ground delay keeps its texts, except a longest delay that nobody filled in', async () => {
    expect(await readAirport(busy, now, 'BOS')).toMatchObject([
      { type: 'ground_delay', average_delay: '1 hour and 12 minutes', max_delay: '3 hours and 4 minutes' },
    ])
    expect(await readAirport(busy, now, 'EWR')).toMatchObject([
      { average_delay: '47 minutes', max_delay: null },
    ])
    const nothing = faaXml(now, groundDelay('JFK', '0 minutes', '0 minutes'))
    expect(await readAirport(nothing, now, 'JFK')).toMatchObject([{ max_delay: '0 minutes' }])
  })

  test('the NOTAM says when LAX reopens: in 2027, a year after the date next to it', async () => {
    expect(await readAirport(busy, now, 'LAX')).toMatchObject([
      {
        starts_at: '2026-05-27T18:26:00.000Z',
        ends_at: '2027-05-28T16:00:00.000Z',
        affects_airline_flights: false,
      },
    ])
  })

  test('reasons keep their words, with white space collapsed', async () => {
    expect((await readAirport(busy, now, 'DJT'))[0]?.reason).toBe(
      '!DJT 10/031 DJT AD AP CLSD EXC 4HR PPR 561-555-0100 DLY 0401-1000 2610010401-2611301000',
    )
  })
})

describe('the end of events', () => {
  const first = faaXml('2026-10-08T21:00:00Z', groundStop('PHL'), groundStop('JFK'))
  const second = faaXml('2026-10-08T21:01:00Z', groundStop('JFK'))

  test('an airport that left appears once more, empty, and then no more', async () => {
    const { cursor } = await poll(first, now)
    const next = await poll(second, now, cursor)
    expect(next.states.map(state => [state.airport, state.events.length])).toEqual([
      ['JFK', 1],
      ['PHL', 0],
      ['*', 0],
    ])
    const last = await poll(second, now, next.cursor)
    expect(last.states.map(state => state.airport)).toEqual(['JFK', '*'])
  })

  test('a document without events empties the rows of its airports, and has a row of its own', async () => {
    const { cursor } = await poll(first, now)
    const { states } = await poll(faaXml('2026-10-08T21:02:00Z'), now, cursor)
    expect(states.map(state => [state.airport, state.events])).toEqual([
      ['JFK', []],
      ['PHL', []],
      ['*', []],
    ])
    expect(feedOf(states)).toMatchObject({ airports: [], feed_updated: '2026-10-08T21:02:00.000Z' })
  })

  test('an unchanged document returns nothing', async () => {
    const { cursor } = await poll(first, now, undefined, '"one"')
    expect(cursor?.validators.etag).toBe('"one"')
    expect((await poll(first, now, cursor, '"one"')).states).toEqual([])
  })
})

describe('other content', () => {
  const flow =
    '<Airspace_Flow_List><Airspace_Flow><CTL_Element>FCAJX5</CTL_Element><Reason>volume</Reason></Airspace_Flow></Airspace_Flow_List>'
  const ctop =
    '<CTOP_List><CTOP><Program_Name>CTP001</Program_Name></CTOP><CTOP><Program_Name>CTP002</Program_Name></CTOP></CTOP_List>'

  test('airspace programs are counted, and assigned to no airport', async () => {
    const { states } = await poll(faaXml(now, flow, ctop), now)
    expect(states).toHaveLength(1)
    expect(feedOf(states)).toMatchObject({ airports: [], airspace_programs: 3 })
  })

  test('an unknown list of airports becomes `other`, one without airports is skipped and named', async () => {
    const deicing =
      '<Deicing_List><Deicing><ARPT>MSP</ARPT><Reason>snow / ice</Reason></Deicing></Deicing_List>'
    const { states } = await poll(
      faaXml(now, deicing, '<Space_List><Launch><Site>LC39</Site></Launch></Space_List>'),
      now,
    )
    expect(states[0]).toMatchObject({
      airport: 'MSP',
      events: [{ type: 'other', reason: 'snow / ice', affects_airline_flights: true }],
    })
    expect(feedOf(states)).toMatchObject({ airports: ['MSP'], unread_lists: ['Space_List'] })
  })

  test('an unknown element and a missing one are drifts, and so is a list of another kind', async () => {
    const stop =
      '<Ground_Stop_List><Program><ARPT>SFO</ARPT><Colour>red</Colour></Program></Ground_Stop_List><Space_List/>'
    const { drift } = await readDocument(faaXml(now, stop), 'the FAA', Date.parse(now))
    expect(drift.map(({ kind, what }) => `${kind} ${what}`)).toEqual([
      'unknown Ground_Stop_List.Colour',
      'vanished Ground_Stop_List.Reason',
      'unknown Space_List',
    ])
    expect((await readDocument(busy, 'the FAA', Date.parse(now))).drift).toEqual([])
  })
})

describe('missing data', () => {
  test('lists without Update_Time get the time of the poll', async () => {
    const { states } = await poll(faaXml(undefined, groundStop('JFK')), now)
    expect(feedOf(states)).toMatchObject({ feed_updated: now, dated: false })
  })

  test('a document with neither lists nor Update_Time is a failure', async () => {
    await expect(poll(faaXml(undefined), now)).rejects.toThrow(UpstreamFailed)
  })
})

describe('a document of another kind fails', () => {
  const bodies: Record<string, string> = {
    'nothing at all': '',
    'cut off': busy.slice(0, 900),
    'a page': '<!DOCTYPE html><html><body>Access Denied</body></html>',
    'a page without a doctype': '<html><body>Access Denied</body></html>',
    'another root':
      '<AIRPORT_INFORMATION><Update_Time>Thu Oct 8 21:14:03 2026 GMT</Update_Time></AIRPORT_INFORMATION>',
    'a document type': `<!DOCTYPE AIRPORT_STATUS_INFORMATION SYSTEM "http://www.fly.faa.gov/AirportStatus.dtd">${faaXml(now)}`,
    'entities that swell': `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>${faaXml(now, groundStop('&b;'))}`,
    'an entity that nobody declared': faaXml(now, groundStop('&b;')),
    JSON: '{"error":"Service Unavailable"}',
    'over 1 MB': faaXml(now, groundStop('JFK', ' '.repeat(1_000_001))),
  }
  test.for(Object.entries(bodies))('%s', async ([, body]) => {
    await expect(poll(body, now)).rejects.toThrow(UpstreamFailed)
  })
})

testRecorded('captures of the live feed are read whole', async ({ samples }) => {
  const folder = join(samples, 'b-faa')
  const files = readdirSync(folder).filter(file => file.endsWith('.xml'))
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const body = readFileSync(join(folder, file), 'utf8')
    const { states } = await poll(body, now)
    const told = states.flatMap(state => state.events)
    expect(told).toHaveLength(
      body.match(/<(Program|Ground_Delay|Airport|Arrival_Departure)[ >]/g)?.length ?? 0,
    )
    expect(feedOf(states)).toMatchObject({ dated: true, unread_lists: [] })
    for (const state of states) expect(airportEvents.event.safeParse(state).success).toBe(true)
    for (const event of told)
      if (event.type === 'closure') expect(event.starts_at && event.ends_at).toBeTruthy()
  }
})

test('a closure without any times is in force from now on', async () => {
  expect(await readAirport(faaXml(now, closure('TEB', 'flooding')), now, 'TEB')).toMatchObject([
    { type: 'closure', starts_at: null, ends_at: null, start_text: null, end_text: null, shuts: 'airport' },
  ])
})
