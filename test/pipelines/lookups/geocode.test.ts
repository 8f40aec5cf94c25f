import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readTyped, urbanization, wordings } from '../../../pipelines/lookups/geocode/address.ts'
import { type Located, matchesOf, ranked, replied } from '../../../pipelines/lookups/geocode/matches.ts'
import { geocodeLookup, oneLine } from '../../../pipelines/lookups/geocode.ts'
import { asCaller } from '../../../pipelines/rails/children/caller.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { geocodes } from '../../../schemas/geocodes.ts'
import { zipFits } from '../../../schemas/tables/us-states.ts'
import { testRecorded } from '../../samples.ts'
import { until } from '../../until.ts'
import { reply, startCensus } from './census-upstream.ts'
import { hurried, openFinding } from './finding.ts'

const dayMs = 86_400_000
const whiteHouse = '1600 Pennsylvania Ave NW, Washington, DC 20500'
const found = { matchedAddress: '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502', tract: '11001006202' }

async function over(answer: Parameters<typeof startCensus>[0]) {
  let now = Date.parse('2026-11-21T12:00:00Z')
  const census = await startCensus(answer)
  const finding = await openFinding([geocodeLookup], {
    at: { CENSUS_URL: census.url },
    datasets: [geocodes],
    now: () => now,
    waiting: hurried(() => now),
  })
  return {
    census,
    finding,
    find: (address: string) => finding.finder.find(geocodeLookup, address),
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('an address', () => {
  test('is sent with its geographies, and read', async () => {
    const { census, find } = await over(() => reply([{ ...found, county: 'District of Columbia' }]))
    expect(await find(whiteHouse)).toEqual({
      hint: null,
      matches: [
        {
          matched_address: '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502',
          lat: '38.898754',
          lon: '-77.03535',
          street: '1600 PENNSYLVANIA AVE NW',
          city: 'WASHINGTON',
          state: 'DC',
          zip: '20502',
          county: 'District of Columbia',
          county_fips: '11001',
          state_name: 'State DC',
          census_tract: '11001006202',
          block_group: null,
          congressional_district: null,
        },
      ],
    })
    const url = new URL(census.asked[0]?.url ?? '', 'http://census')
    expect(url.pathname).toBe('/geocoder/geographies/onelineaddress')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      address: whiteHouse,
      benchmark: 'Public_AR_Current',
      vintage: 'Current_Current',
      format: 'json',
    })
    expect(census.asked[0]?.headers['user-agent']).toMatch(/^Farebox/)
  })

  test('is sent once, in whatever spelling, for however many callers', async () => {
    const { census, find } = await over(() => reply([found]))
    await Promise.all([
      find(whiteHouse),
      find(whiteHouse.toUpperCase()),
      find(whiteHouse.replaceAll(',', ' ')),
    ])
    await find(`${whiteHouse}.`)
    expect(census.asked).toHaveLength(1)
  })

  test('survives a restart for 90 days, under nothing but its hash', async () => {
    const { census, find, pass, finding } = await over(() => reply([found]))
    await find(whiteHouse)
    const told: string[] = []
    const watching = await finding.log.watch(geocodes.topic, batch => {
      for (const { key, value } of batch) told.push(`${key} ${value}`)
    })
    await until(() => told.length === 1)
    await watching.close()
    expect(told[0]).toMatch(/^[0-9a-f]{64} /)
    expect(told[0]).not.toContain('20500')

    pass(89 * dayMs)
    await finding.restart()
    expect((await find(whiteHouse))?.matches).toHaveLength(1)
    pass(2 * dayMs)
    await finding.restart()
    await find(whiteHouse)
    // The question on day 89 renewed it in the background, so it is still fresh.
    expect(census.asked).toHaveLength(2)
  })

  test('fetched by one instance is known to another', async () => {
    const { census, find, finding } = await over(() => reply([found]))
    const other = await openFinding([geocodeLookup], { at: {}, datasets: [geocodes] })
    await find(whiteHouse)
    const keys: { key: string; value: string | null }[] = []
    const watching = await finding.log.watch(geocodes.topic, batch => void keys.push(...batch))
    await until(() => keys.length === 1)
    await watching.close()
    await other.log.append(geocodes.topic, keys)
    await until(() => other.finder.find(geocodeLookup, whiteHouse).then(Boolean, () => false))
    expect(census.asked).toHaveLength(1)
  })
})

test('an answer from before areas were requested has none', () => {
  const {
    block_group: _,
    congressional_district: __,
    ...match
  } = matchesOf(replied.parse(JSON.parse(reply([found]))))[0] as Located
  const event = {
    address_hash: '0'.repeat(64),
    fetched_at: '2026-11-20T12:00:00.000Z',
    matches: [match],
    hint: null,
  }
  const read = geocodeLookup.keep?.read(geocodes.event.parse(event) as never)
  expect(read?.value?.matches).toEqual([{ ...match, block_group: null, congressional_district: null }])
})

describe('an address without a match', () => {
  test('is tried without its unit and accents, then without its ZIP, and no further', async () => {
    const { census, find } = await over(() => reply([]))
    expect(await find('12 Calle Peñuelas Apt 4B, Ponce, PR 00730')).toEqual({ matches: [], hint: null })
    expect(census.addresses()).toEqual([
      '12 Calle Peñuelas Apt 4B, Ponce, PR 00730',
      '12 Calle Penuelas, Ponce, PR 00730',
      '12 Calle Penuelas, Ponce, PR',
    ])
  })

  test('is final for a day', async () => {
    const { census, find, pass } = await over(() => reply([]))
    await find('99999 Nonexistent Fake St, Nowhere, ZZ')
    pass(dayMs / 2)
    await find('99999 Nonexistent Fake St, Nowhere, ZZ')
    expect(census.asked).toHaveLength(1)
    pass(dayMs)
    await find('99999 Nonexistent Fake St, Nowhere, ZZ')
    expect(census.asked).toHaveLength(2)
  })

  test('that the geocoder cannot read brings its hint', async () => {
    const hint = 'Specify House number and Street name along with City and State and/or ZIP Code'
    const { census, find } = await over((_, response) => {
      response.statusCode = 400
      return JSON.stringify({ errors: [hint], status: '400' })
    })
    expect(await find('48104')).toEqual({ matches: [], hint })
    expect(census.asked).toHaveLength(1)
  })

  test('in a Puerto Rican urbanization is sent in parts', async () => {
    const { census, find } = await over((_, __, { url = '' }) =>
      url.includes('/addressPR') ? reply([{ matchedAddress: '12 CALLE 4, PONCE, PR, 00730' }]) : reply([]),
    )
    expect((await find('Urb. La Rambla, 12 Calle 4, Ponce, PR 00730'))?.matches).toHaveLength(1)
    const { searchParams } = new URL(census.asked.at(-1)?.url ?? '', 'http://census')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      street: '12 Calle 4',
      urb: 'La Rambla',
      municipio: 'Ponce',
      zip: '00730',
    })
    expect(census.asked).toHaveLength(3)
  })
})

describe('a failing geocoder', () => {
  test.each([
    ['a 503', 503, 'busy'],
    ['a page of its firewall', 200, '<html>Request Rejected</html>'],
    ['JSON without a result', 200, '{"message":"maintenance"}'],
    ['an empty body', 200, ''],
  ])('%s twice is a failure, once is none', async (_, status, body) => {
    let bad = 2
    const { census, find, pass, finding } = await over((__, response) => {
      if (bad-- <= 0) return reply([found])
      response.statusCode = status
      return body
    })
    await expect(find(whiteHouse)).rejects.toThrow(UpstreamFailed)
    expect(census.asked).toHaveLength(2)
    expect(finding.failed).toHaveLength(1)
    expect(inspect(finding.failed)).not.toMatch(/Pennsylvania|127\.0\.0\.1/)
    bad = 1
    pass(6_000)
    expect((await find(whiteHouse))?.matches).toHaveLength(1)
    expect(census.asked).toHaveLength(4)
  })

  test('that resets the connection is tried again', async () => {
    let first = true
    const { find } = await over((_, __, { socket }) => {
      if (!first) return reply([found])
      first = false
      socket.destroy()
      return undefined
    })
    expect((await find(whiteHouse))?.matches).toHaveLength(1)
  })

  test.each([
    ['refuses questions', 404, 'no'],
    ['is behind a firewall that refuses questions', 403, 'no'],
    ['is behind a firewall that shows a page', 200, '<html>Request Rejected</html>'],
  ])('that %s still answers the questions of others', async (_, status, body) => {
    const { find } = await over((address, response) => {
      if (address === whiteHouse) return reply([found])
      response.statusCode = status
      return body
    })
    for (let i = 0; i < 20; i++)
      await expect(find(`${i} Main St, Boston, MA`)).rejects.toThrow(UpstreamFailed)
    expect((await find(whiteHouse))?.matches).toHaveLength(1)
  })

  test.each([500, 429])(
    'rests after five times %d, and gets a single test request after 30 s',
    async status => {
      let down = true
      const { census, find, pass } = await over((_, response) => {
        if (!down) return reply([found])
        response.statusCode = status
        return 'no'
      })
      for (let i = 0; i < 20; i++)
        await expect(find(`${i} Main St, Boston, MA`)).rejects.toThrow(UpstreamFailed)
      expect(census.asked).toHaveLength(5)
      pass(31_000)
      await Promise.allSettled(Array.from({ length: 20 }, (_, i) => find(`${i} Elm St, Boston, MA`)))
      expect(census.asked).toHaveLength(6)
      down = false
      pass(31_000)
      expect((await find(whiteHouse))?.matches).toHaveLength(1)
      expect((await find('2 Elm St, Boston, MA'))?.matches).toHaveLength(0)
    },
  )

  test('gets at most four requests at once, three of them from one caller', async () => {
    const held: (() => void)[] = []
    const { census, find } = await over((_, response) => {
      held.push(() => response.end(reply([found])))
      return undefined
    })
    const all = Promise.allSettled(
      ['one', 'one', 'one', 'one', 'another', 'another'].map((name, i) =>
        asCaller(name, () => find(`${i} Oak St NW, Washington, DC`)),
      ),
    )
    await until(() => census.asked.length === 4)
    for (let answered = 0; answered < 6; answered++) {
      await until(() => held.length > answered)
      expect(census.asked.length).toBeLessThanOrEqual(4 + answered)
      held[answered]?.()
    }
    await all
  })
})

test('a caller waits at most until the limit, and the fetch fills the memory for the retry', async () => {
  const held: (() => void)[] = []
  const census = await startCensus((_, response) => {
    held.push(() => response.end(reply([found])))
    return undefined
  })
  const impatient = { ...geocodeLookup, timeoutMs: 30 }
  const { finder, failed } = await openFinding([impatient], {
    at: { CENSUS_URL: census.url },
    datasets: [geocodes],
  })
  await expect(finder.find(impatient, whiteHouse)).rejects.toThrow(/longer than 30 ms/)
  await expect(finder.find(impatient, whiteHouse)).rejects.toThrow(/longer than 30 ms/)
  held[0]?.()
  await until(() => finder.find(impatient, whiteHouse).then(Boolean, () => false))
  expect(census.asked).toHaveLength(1)
  expect(failed).toEqual([])
  expect(geocodeLookup.timeoutMs).toBe(8_000)
})

describe('the best of several matches', () => {
  const of = (...addresses: string[]) =>
    matchesOf(replied.parse(JSON.parse(reply(addresses.map(matchedAddress => ({ matchedAddress }))))))
  const order = (typed: string, ...addresses: string[]) =>
    ranked(of(...addresses), typed).map(match => match.matched_address)

  test('has the house number, then the ZIP, then the city', () => {
    const [a, b, c] = ['10 MAIN ST, X, MA, 01001', '12 MAIN ST, LEE, MA, 01002', '12 MAIN ST, LEE, MA, 01003']
    expect(order('12 Main St, Lee, MA 01003', a, b, c)).toEqual([c, b, a])
  })
  test('is the first one if they tie, and no match is listed twice', () => {
    const [east, west] = ['5 E 1ST ST, LEE, MA, 01001', '5 W 1ST ST, LEE, MA, 01001']
    expect(order('5 1st St, Lee, MA', east, west, east)).toEqual([east, west])
  })
  test('is never in a state other than the typed one', () => {
    expect(order('5 Main St, Springfield, IL', '5 MAIN ST, SPRINGFIELD, MA, 01101')).toEqual([])
    expect(order('5 Main St, Springfield, Illinois', '5 MAIN ST, SPRINGFIELD, MA, 01101')).toEqual([])
    expect(order('100 5th Ave NE', '100 5TH AVE NE, SEATTLE, WA, 98105')).toHaveLength(1)
    expect(order('1 Washington Sq, Boston', '1 WASHINGTON SQ, BOSTON, MA, 02109')).toHaveLength(1)
  })
})

test.each([
  ['1600 Pennsylvania Avenue NW, Washington 20500', '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502'],
  ['20 Sandusky St, Delaware 43015', '20 S SANDUSKY ST, DELAWARE, OH, 43015'],
  ['650 S 13th St, Indiana 15701', '650 S 13TH ST, INDIANA, PA, 15701'],
  ['650 S 13th St, Apt 4, Indiana 15701-3560', '650 S 13TH ST, INDIANA, PA, 15701'],
  ['350 5th Ave, New York 10118', '350 5TH AVE, NEW YORK, NY, 10118'],
])('the ZIP tells the city from the state: %s', async (typed, matchedAddress) => {
  const { find } = await over(() => reply([{ matchedAddress }]))
  expect((await find(typed))?.matches).toMatchObject([{ matched_address: matchedAddress }])
})
test('with a state and its ZIP keeps the state', () => {
  expect(readTyped('5 Main St Springfield, Illinois 62701').state).toBe('IL')
  expect(readTyped('9 Elm St, Indiana 46001').state).toBe('IN')
  for (const [code, zip] of Object.entries({
    DC: '20500',
    NY: '06390',
    TX: '73301',
    PR: '00926',
    CA: '90210',
  }))
    expect(zipFits(zip, code), code).toBe(true)
})

describe('the wording', () => {
  test.each([
    ['  12 Main St\nApt 4\r\nLee,  MA ', '12 Main St, Apt 4, Lee, MA'],
    ['12\tMain\u0000 St', '12 Main St'],
    ['\u0001 ,\n', ''],
  ])('%j is read as %j', (typed, line) => {
    expect(oneLine(typed)).toBe(line)
  })
  test('FL is a floor in a unit, and Florida elsewhere', () => {
    expect(wordings('1 Bay Rd FL 2, Miami, FL 33101')[1]).toBe('1 Bay Rd, Miami, FL 33101')
    expect(wordings('1 Bay Rd, Miami FL 33101')).toEqual(['1 Bay Rd, Miami FL 33101', '1 Bay Rd, Miami FL'])
    expect(wordings('1 Bay Rd #12, Lee, MA')).toEqual(['1 Bay Rd #12, Lee, MA', '1 Bay Rd, Lee, MA'])
  })
  test('a state is only recognised in the position of a state', () => {
    expect(readTyped('1 A St, Lee, MA 01238, USA')).toMatchObject({ state: 'MA', zip: '01238', house: '1' })
    expect(readTyped('1 A St, Lee, ZZ 00000').state).toBeUndefined()
    expect(readTyped('26-08 A St, New York, New York').state).toBe('NY')
  })
  test('an urbanization without a municipio has no parts', () => {
    expect(urbanization('Urb La Rambla, 12 Calle 4')).toBeUndefined()
    expect(urbanization('12 Calle 4, Ponce, PR')).toBeUndefined()
  })
})

testRecorded('recorded replies are read', ({ samples }) => {
  const read = (file: string) =>
    matchesOf(replied.parse(JSON.parse(readFileSync(join(samples, 'e-census', file), 'utf8'))))
  expect(read('fitnr-address-geographies-0.json')?.[0]).toMatchObject({
    zip: '20502',
    county_fips: '11001',
    census_tract: '11001006202',
    state_name: 'District of Columbia',
  })
  expect(read('live-match-joe-nuxhall.json')?.[0]).toMatchObject({
    lat: '39.096122',
    lon: '-84.508276',
    street: '100 JOE NUXHALL WAY',
    census_tract: null,
  })
  expect(read('live-nomatch-2026.json')).toEqual([])
  expect(read('pablotron-responses-locations.json')?.[0]).toMatchObject({
    lat: '38.845987',
    lon: '-76.927436',
  })
})
