import { describe, expect, test } from 'vitest'
import { airportEvents } from '../../../../schemas/airport-events.ts'
import { Failure, Refused } from '../../../../services/offer/errors.ts'
import { airportStatus } from '../../../../services/origins/data/airport/airport-status.ts'
import { minutesOf } from '../../../../services/origins/data/airport/board.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import {
  busy,
  closure,
  faaXml,
  groundDelay,
  groundStop,
  poll,
} from '../../../pipelines/sources/faa-upstream.ts'
import { ask, askText, polled, stock } from '../ask.ts'

const evening = '2026-10-08T21:15:00Z'

/** Opens a shelf with these documents, all polled at `at`, and asks it at times that the test sets. */
async function following(at: string, ...bodies: string[]) {
  let time = Date.parse(at)
  const now = () => time
  const shelf = new Shelf(now)
  let cursor: Awaited<ReturnType<typeof poll>>['cursor']
  const follow = async (body: string) => {
    const page = await poll(body, new Date(time).toISOString(), cursor)
    cursor = page.cursor
    stock(shelf, airportEvents, page.states)
    polled(shelf, 'faa', time)
  }
  for (const body of bodies) await follow(body)
  return {
    follow,
    /** Sets the clock. The last poll is recent and good. */
    at(text: string) {
      time = Date.parse(text)
      polled(shelf, 'faa', time)
    },
    /** Sets the clock. There was no poll since the last document. */
    silentUntil(text: string) {
      time = Date.parse(text)
    },
    ask: (airport?: string | null) =>
      ask(airportStatus, airport === undefined ? {} : { airport }, { shelf, now }),
    text: (airport?: string) =>
      askText(airportStatus, airport === undefined ? {} : { airport }, { shelf, now }),
    refused: (airport: string): Promise<string> =>
      ask(airportStatus, { airport }, { shelf, now }).then(
        () => 'answered',
        error => (error as Error).message,
      ),
    failure: async (body: unknown): Promise<string> => {
      const failed = await ask(airportStatus, body, { shelf, now }).catch(error => error)
      if (!(failed instanceof Failure || failed instanceof Refused)) throw new Error('it answered')
      return `${failed.status} ${failed.code}`
    },
  }
}

describe('the status of an airport', () => {
  test('is normal when the feed does not name it, with no guarantee', async () => {
    const { ask } = await following(evening, busy)
    expect(await ask('JFK')).toEqual({
      airport: 'JFK',
      status: 'normal',
      events: [],
      feed_updated: '2026-10-08T21:14:03Z',
      note: 'No FAA delay program or closure is reported for this airport; absence from the feed is not a guarantee of normal operations. 1 airspace flow program active; they stand over airspace, not at an airport.',
      source: 'FAA National Airspace System Status (nasstatus.faa.gov)',
    })
  })

  test('the worst event wins: a ground stop over a closure for size, a closure over a restriction', async () => {
    const { ask } = await following(evening, busy)
    expect(await ask('PHL')).toMatchObject({
      status: 'stopped_or_closed',
      events: [
        { airport: 'PHL', type: 'ground_stop', end: '2026-10-08T22:15:00Z', affects_airline_flights: true },
        { type: 'closure', affects_airline_flights: false },
      ],
    })
    expect((await ask('SAN')).status).toBe('stopped_or_closed')
  })

  test.for([
    ['BOS', 'delays'],
    ['EWR', 'delays'],
    ['SFO', 'delays'],
    ['LGA', 'delays'],
    ['DEN', 'stopped_or_closed'],
    ['IWA', 'delays'],
    ['LAX', 'normal'],
    ['DJT', 'normal'],
  ])('%s is %s', async ([code, status]) => {
    const { ask } = await following(evening, busy)
    expect((await ask(code as string)).status).toBe(status)
  })

  test('a closure for private aircraft only is normal, with its flag and its year', async () => {
    const { ask } = await following(evening, busy)
    const { events, note, status } = await ask('LAX')
    expect(status).toBe('normal')
    expect(events).toMatchObject([
      { start: '2026-05-27T18:26:00Z', end: '2027-05-28T16:00:00Z', affects_airline_flights: false },
    ])
    expect(note).toMatch(/^No FAA delay program or closure that affects airline flights now is reported/)
  })

  test('a closed runway means delays, and a closed airport if it is the only one', async () => {
    const runway = (airport: string) =>
      closure(airport, `!${airport} 02/023 ${airport} RWY 09/27 CLSD DUE TO MAINT`)
    const { ask } = await following(evening, faaXml(evening, runway('SAN'), runway('ORD')))
    expect((await ask('SAN')).status).toBe('stopped_or_closed')
    expect((await ask('ORD')).status).toBe('delays')
  })

  test('a ground stop past its end counts until the feed drops it', async () => {
    const { ask, at } = await following(evening, faaXml(evening, groundStop('DCA', '5:20 pm EDT')))
    at('2026-10-08T22:30:00Z')
    expect((await ask('DCA')).status).toBe('stopped_or_closed')
  })

  test('times without a moment stay in the feed’s words', async () => {
    const { ask } = await following(evening, faaXml(evening, groundStop('DCA', 'around 5')))
    expect((await ask('DCA')).events).toMatchObject([{ start: null, end: 'around 5' }])
  })

  test('an unknown kind of event means delays', async () => {
    const list = '<Deicing_List><Deicing><ARPT>MSP</ARPT><Reason>snow / ice</Reason></Deicing></Deicing_List>'
    const { ask } = await following(evening, faaXml(evening, list))
    expect(await ask('MSP')).toMatchObject({
      status: 'delays',
      events: [{ type: 'other', reason: 'snow / ice' }],
    })
  })
})

test.for([
  ['16 minutes', 16],
  ['1 hour', 60],
  ['2 hours', 120],
  ['1 hour and 15 minutes', 75],
  ['2 hours and 7 minutes', 127],
  ['0 minutes', 0],
  ['a while', null],
  [null, null],
] as const)('%s as a number: %s', ([words, minutes]) => {
  expect(minutesOf(words)).toBe(minutes)
})

test('each delay is given in minutes beside the FAA’s words', async () => {
  const { ask } = await following(evening, busy)
  expect((await ask('SFO')).events).toMatchObject([
    { min_delay: '46 minutes', min_delay_minutes: 46, max_delay_minutes: 60, average_delay_minutes: null },
    { min_delay: '16 minutes', min_delay_minutes: 16, max_delay_minutes: 30 },
  ])
  expect((await ask('EWR')).events).toMatchObject([
    { average_delay_minutes: 47, max_delay: null, max_delay_minutes: null },
  ])
})

describe('the clock alone changes it', () => {
  const daily = closure('LGA', '!LGA 10/094 LGA AD AP CLSD EXC 4HR PPR DLY 0401-1000 2610010401-2611301000')

  test('a closure by daily hours opens and shuts, without a new document', async () => {
    const { ask, at } = await following('2026-10-08T04:00:59Z', faaXml('2026-10-08T04:00:00Z', daily))
    const seen: Record<string, string | undefined> = {}
    for (const clock of ['04:00:59', '04:01:00', '09:59:59', '10:00:00']) {
      at(`2026-10-08T${clock}Z`)
      seen[clock] = (await ask('LGA')).status
    }
    expect(seen).toEqual({
      '04:00:59': 'normal',
      '04:01:00': 'stopped_or_closed',
      '09:59:59': 'stopped_or_closed',
      '10:00:00': 'normal',
    })
    expect((await ask('LGA')).events).toHaveLength(1)
  })

  test('hours past midnight belong to the day they began on', async () => {
    const nights = closure('SNA', '!SNA 10/016 SNA AD AP CLSD MON-FRI 2200-0500 2610010000-2611301000')
    const { ask, at } = await following('2026-10-09T21:59:00Z', faaXml('2026-10-09T21:59:00Z', nights))
    const seen = []
    // A Friday evening, then the Saturday morning and evening.
    for (const moment of [
      '10-09T21:59',
      '10-09T22:00',
      '10-10T04:59',
      '10-10T05:00',
      '10-10T23:00',
      '10-12T23:00',
    ]) {
      at(`2026-${moment}:00Z`)
      seen.push((await ask('SNA')).status === 'normal' ? 'open' : 'shut')
    }
    expect(seen).toEqual(['open', 'shut', 'shut', 'open', 'open', 'shut'])
  })

  test('a closure ahead is normal until it begins, and again once it is over', async () => {
    const { ask, at } = await following(
      evening,
      faaXml(evening, closure('SAN', '!SAN 10/012 SAN AD AP CLSD 2610090800-2610091300')),
    )
    expect(await ask('SAN')).toMatchObject({ status: 'normal', events: [{ start: '2026-10-09T08:00:00Z' }] })
    at('2026-10-09T08:00:00Z')
    expect((await ask('SAN')).status).toBe('stopped_or_closed')
    at('2026-10-09T13:00:00Z')
    expect((await ask('SAN')).status).toBe('normal')
  })

  test('an estimated end does not open it, a permanent closure has none', async () => {
    const { ask, at } = await following(
      evening,
      faaXml(
        evening,
        closure('TEB', 'TEB AD AP CLSD 2610080800-2610082200EST'),
        closure('ALO', 'ALO AD AP CLSD 2610080800-PERM'),
      ),
    )
    at('2026-10-09T08:00:00Z')
    expect(await ask('TEB')).toMatchObject({
      status: 'stopped_or_closed',
      events: [{ end: '2026-10-08T22:00:00Z' }],
    })
    expect(await ask('ALO')).toMatchObject({ status: 'stopped_or_closed', events: [{ end: null }] })
  })

  test('the listing is serialised once, and anew when a closure opens or the feed grows old', async () => {
    const { text, at } = await following(
      '2026-10-08T04:00:00Z',
      faaXml('2026-10-08T04:00:00Z', daily, groundDelay('SFO', '1 hour', '2 hours')),
    )
    const order = async () =>
      JSON.parse(await text()).airports_with_events.map((row: { airport: string }) => row.airport)
    expect(await order()).toEqual(['SFO', 'LGA'])
    at('2026-10-08T04:01:00Z')
    expect(await order()).toEqual(['LGA', 'SFO'])
    at('2026-10-08T04:14:59Z')
    expect(JSON.parse(await text())).not.toHaveProperty('note')
    at('2026-10-08T04:15:00Z')
    expect(JSON.parse(await text()).note).toBe(
      'The FAA last updated its feed at 2026-10-08T04:00:00Z, over 15 minutes ago.',
    )
    expect(JSON.parse(await text('SFO')).note).toMatch(/over 15 minutes ago/)
  })
})

describe('what the next document says', () => {
  test('an airport that left the feed is normal again', async () => {
    const { ask, follow } = await following(evening, faaXml(evening, groundStop('PHL')))
    expect((await ask('PHL')).status).toBe('stopped_or_closed')
    await follow(faaXml('2026-10-08T21:16:00Z'))
    expect(await ask('PHL')).toMatchObject({
      status: 'normal',
      events: [],
      feed_updated: '2026-10-08T21:16:00Z',
    })
    expect(await ask()).toMatchObject({
      airports_with_events: [],
      count: 0,
      feed_updated: '2026-10-08T21:16:00Z',
    })
  })

  test('an event that the feed no longer names is over, even without an end', async () => {
    const now = () => Date.parse(evening)
    const shelf = new Shelf(now)
    for (const body of [faaXml(evening, groundStop('PHL')), faaXml(evening)])
      stock(shelf, airportEvents, (await poll(body, evening)).states)
    polled(shelf, 'faa', now())
    expect(await ask(airportStatus, { airport: 'PHL' }, { shelf, now })).toMatchObject({
      status: 'normal',
      events: [],
    })
  })

  test('a document without a time is answered with null', async () => {
    const { ask } = await following(evening, faaXml(undefined, groundStop('PHL')))
    expect(await ask('PHL')).toMatchObject({
      feed_updated: null,
      note: 'The feed does not say when it was updated.',
    })
  })
})

describe('every airport with events', () => {
  test('by severity and code, each event with its flag, and how many have nothing for airlines', async () => {
    const { ask } = await following(evening, busy)
    const { airports_with_events: listed, count, note, airport, status } = await ask()
    expect(listed?.map(row => row.airport)).toEqual([
      'DEN',
      'PHL',
      'SAN',
      'AZA',
      'BOS',
      'EWR',
      'LGA',
      'SFO',
      'DJT',
      'LAX',
    ])
    expect(count).toBe(10)
    expect(note).toBe(
      '1 of them has only closures that keep no airline flights out. 1 airspace flow program active; they stand over airspace, not at an airport.',
    )
    expect([airport, status]).toEqual([undefined, undefined])
  })

  test('a closure of tonight differs from one in force, in the list and for one airport', async () => {
    const tonight = closure('PVD', '!PVD 10/055 PVD AD AP CLSD EXC HEL 2610090300-2610090900')
    const inForce = closure('ALO', '!ALO 10/021 ALO AD AP CLSD EXC HEL 2610081928-2610090200')
    const { ask, at } = await following(
      evening,
      faaXml(evening, tonight, inForce, groundDelay('SFO', '1 hour', '2 hours')),
    )
    const listed = async () =>
      (await ask()).airports_with_events?.map(row => [
        row.airport,
        row.status,
        row.events.map(event => event.active),
      ])
    expect(await listed()).toEqual([
      ['ALO', 'stopped_or_closed', [true]],
      ['SFO', 'delays', [true]],
      ['PVD', 'normal', [false]],
    ])
    expect(await ask('PVD')).toMatchObject({ status: 'normal', events: [{ active: false }] })
    at('2026-10-09T03:00:00Z')
    expect((await listed())?.map(([airport, status]) => `${airport} ${status}`)).toEqual([
      'PVD stopped_or_closed',
      'SFO delays',
      'ALO normal',
    ])
  })

  test('null means the same as no airport', async () => {
    const { ask } = await following(evening, busy)
    expect(await ask(null)).toEqual(await ask())
  })

  test('programs for airspace are not listed as airports', async () => {
    const flow =
      '<Airspace_Flow_List><Airspace_Flow><CTL_Element>FCAJX5</CTL_Element></Airspace_Flow><Airspace_Flow><CTL_Element>FCAA08</CTL_Element></Airspace_Flow></Airspace_Flow_List>'
    const { ask } = await following(evening, faaXml(evening, flow))
    expect(await ask()).toMatchObject({
      count: 0,
      note: '2 airspace flow programs active; they stand over airspace, not at an airport.',
    })
  })

  test('a list that nobody understands is said', async () => {
    const { ask } = await following(
      evening,
      faaXml(evening, '<Space_List><Launch><Site>LC39</Site></Launch></Space_List>'),
    )
    expect(await ask()).toMatchObject({
      count: 0,
      note: 'The feed has entries that were not understood: Space_List.',
    })
  })
})

describe('the codes of one airport', () => {
  test.for([
    ['KJFK', 'jfk', 'JFK'],
    ['PANC', 'anc', 'ANC'],
    ['PHNL', 'HNL', 'HNL'],
    ['TJSJ', 'SJU', 'SJU'],
    ['TISX', 'STX', 'STX'],
    ['PGSN', 'GSN', 'SPN'],
    ['NSTU', 'PPG', 'PPG'],
    ['KARW', 'ARW', 'BFT'],
    ['K1G4', '1G4', 'GCW'],
    ['KHND', 'HSH', 'HSH'],
    ['KSDL', 'SCF', 'SCF'],
    ['KJWN', 'JWN', 'JWN'],
  ])('%s and %s are %s', async ([one, other, code]) => {
    const { ask } = await following(evening, faaXml(evening))
    expect((await ask(one)).airport).toBe(code)
    expect((await ask(other)).airport).toBe(code)
  })

  test('IWA, AZA and KIWA are one, whichever the feed uses', async () => {
    for (const named of ['IWA', 'AZA']) {
      const { ask } = await following(evening, faaXml(evening, groundStop(named)))
      for (const code of ['IWA', 'AZA', 'KIWA'])
        expect(await ask(code)).toMatchObject({
          airport: 'AZA',
          status: 'stopped_or_closed',
          events: [{ airport: 'AZA' }],
        })
    }
  })

  test('Palm Beach is found by its old codes and its new ones, whichever the feed uses', async () => {
    const { ask } = await following(
      evening,
      faaXml(evening, groundStop('DJT'), groundDelay('PBI', '1 hour', '2 hours')),
    )
    for (const code of ['PBI', 'DJT', 'KPBI', 'KDJT']) {
      const { airport, events } = await ask(code)
      expect(airport).toBe('DJT')
      expect(events?.map(event => event.type)).toEqual(['ground_stop', 'ground_delay'])
    }
    expect((await ask()).count).toBe(1)
  })

  test('before 18 August 2026 it is still PBI', async () => {
    const july = '2026-07-20T12:00:00Z'
    const { ask } = await following(july, faaXml(july, groundStop('DJT')))
    expect(await ask('KDJT')).toMatchObject({ airport: 'PBI', status: 'stopped_or_closed' })
  })

  test('an airport in no table is known while the feed names it', async () => {
    const { ask, failure } = await following(evening, faaXml(evening, groundStop('5T6'), groundStop('YYZ')))
    expect(await ask('5T6')).toMatchObject({ airport: '5T6', status: 'stopped_or_closed' })
    expect(await ask('K5T6')).toMatchObject({ airport: '5T6', status: 'stopped_or_closed' })
    expect(await ask('YYZ')).toMatchObject({ airport: 'YYZ', status: 'stopped_or_closed' })
    expect(await ask('CYYZ')).toMatchObject({ airport: 'YYZ', status: 'stopped_or_closed' })
    expect(await failure({ airport: 'YUL' })).toBe('422 outside_coverage')
  })

  test('a code of IATA’s elsewhere is not taken for an FAA id here', async () => {
    const { ask, failure } = await following(evening, faaXml(evening, groundStop('HND'), groundStop('SAW')))
    expect(await failure({ airport: 'HND' })).toBe('422 outside_coverage')
    expect(await failure({ airport: 'SAW' })).toBe('422 outside_coverage')
    expect((await ask()).airports_with_events?.map(row => row.airport)).toEqual(['HSH', 'MQT'])
  })
})

describe('what is refused, free', () => {
  test.for(['LHR', 'EGLL', 'CDG', 'LFPG', 'RJTT', 'YYZ', 'CYYZ', 'MMMX', 'mex', 'NSFA'])(
    '422 outside_coverage: %s',
    async code => {
      const { failure } = await following(evening, busy)
      expect(await failure({ airport: code })).toBe('422 outside_coverage')
    },
  )

  test.for(['ZZZ', 'XXXX', 'ABCD', 'KZZZ', 'NYC', 'CHI', 'LON', 'ISN', 'KISN', '0000', 'PZZZ'])(
    '422 unknown_airport: %s',
    async code => {
      const { failure } = await following(evening, busy)
      expect(await failure({ airport: code })).toBe('422 unknown_airport')
    },
  )

  test('a city is refused as a city, with its airports if the FAA reports on them', async () => {
    const { refused } = await following(evening, busy)
    expect(await refused('NYC')).toBe('NYC is a city, not an airport: ask for JFK, LGA or EWR')
    expect(await refused('LON')).toBe(
      'LON is London, a city outside the United States: the FAA reports on none of its airports',
    )
  })

  test.for([
    { airport: '' },
    { airport: 'JF' },
    { airport: 'JFK12' },
    { airport: 'J-K' },
    { airport: 'J FK' },
    { airport: 4 },
    { code: 'JFK' },
  ])('400 invalid_request: %j', async body => {
    const { failure } = await following(evening, busy)
    expect(await failure(body)).toBe('400 invalid_request')
  })

  test('503 not_ready before the first document', async () => {
    const { failure } = await following(evening)
    expect(await failure({})).toBe('503 not_ready')
  })

  test('503 not_ready while the tick has arrived and the document has not', async () => {
    const { at, failure } = await following(evening)
    at(evening)
    expect(await failure({ airport: 'JFK' })).toBe('503 not_ready')
  })

  test('502 stale_data once the last good poll is over 5 minutes old', async () => {
    const { ask, failure, silentUntil } = await following(evening, busy)
    silentUntil('2026-10-08T21:20:00Z')
    expect((await ask('JFK')).status).toBe('normal')
    silentUntil('2026-10-08T21:20:01Z')
    expect(await failure({ airport: 'JFK' })).toBe('502 stale_data')
    expect(await failure({})).toBe('502 stale_data')
  })
})

test('the example is a real answer', async () => {
  const october = '2026-10-02T11:46:31Z'
  const delay =
    '<Ground_Delay_List><Ground_Delay><ARPT>BOS</ARPT><Reason>runway construction</Reason><Avg>1 hour and 5 minutes</Avg><Max>3 hours and 4 minutes</Max></Ground_Delay></Ground_Delay_List>'
  const { ask } = await following(october, faaXml(october, delay))
  expect(await ask(airportStatus.example.request.airport as string)).toEqual(airportStatus.example.response)
})
