import { expect, test } from 'vitest'
import { type IpRecord, placeOf } from '../../../../pipelines/lookups/ip/place.ts'

const database = 'DB-IP City Lite 2026-11'
const nested: IpRecord = {
  city: { names: { en: 'Frankfurt am Main (Gallus)' } },
  continent: { code: 'EU', names: { en: 'Europe' } },
  country: { iso_code: 'DE', is_in_european_union: true, names: { en: 'Germany' } },
  subdivisions: [{ names: { en: 'Hesse' } }, { names: { en: 'Darmstadt' } }],
  location: { latitude: 50.1025, longitude: 8.63 },
}
const flat: IpRecord = {
  country_code: 'US',
  state1: 'California',
  city: 'Mountain View',
  latitude: Math.fround(37.422),
  longitude: Math.fround(-122.085),
}
const frankfurt = {
  country: { code: 'DE', name: 'Germany' },
  region: 'Hesse',
  city: 'Frankfurt am Main (Gallus)',
  continent: { code: 'EU', name: 'Europe' },
  latitude: 50.1025,
  longitude: 8.63,
  timeZone: null,
  database,
}

test("DB-IP's own record, its districts left in the city's name", () => {
  expect(placeOf(nested, database)).toEqual(frankfurt)
})

test('the flat record gives the same answer, with names and continent from the code', () => {
  expect(placeOf(flat, database)).toEqual({
    country: { code: 'US', name: 'United States' },
    region: 'California',
    city: 'Mountain View',
    continent: { code: 'NA', name: 'North America' },
    latitude: 37.422,
    longitude: -122.085,
    timeZone: 'America/Los_Angeles',
    database,
  })
})

const { city: _, ...noCity } = nested
const { subdivisions: __, ...noRegion } = nested
const { location: ___, ...noLocation } = nested
const { continent: ____, ...noContinent } = nested

test.each<[string, IpRecord, object]>([
  ['no city', noCity, { city: null }],
  ['an empty city', { ...nested, city: { names: {} } }, { city: null }],
  ['no subdivision', noRegion, { region: null }],
  ['an empty list of subdivisions', { ...nested, subdivisions: [] }, { region: null }],
  ['no location', noLocation, { latitude: null, longitude: null }],
  ['half a location', { ...nested, location: { latitude: 50 } }, { latitude: null, longitude: null }],
  ['no continent', noContinent, {}],
  ['a country without a name', { ...nested, country: { iso_code: 'DE' } }, {}],
  [
    'a code nobody knows',
    { ...nested, country: { iso_code: 'QX' } },
    { country: { code: 'QX', name: null } },
  ],
  ['country ZZ', { ...nested, country: { iso_code: 'ZZ', names: { en: 'Unknown' } } }, { country: null }],
  ['0,0 in a city', { ...nested, location: { latitude: 0, longitude: 0 } }, { latitude: 0, longitude: 0 }],
  [
    '0,0 without a city',
    { ...noCity, location: { latitude: 0, longitude: 0 } },
    { city: null, latitude: null, longitude: null },
  ],
  [
    'the equator without a city',
    { ...noCity, location: { latitude: 0, longitude: 9.5 } },
    { city: null, latitude: 0, longitude: 9.5 },
  ],
  [
    'North America',
    { ...nested, continent: { code: 'NA', names: { en: 'North America' } } },
    { continent: { code: 'NA', name: 'North America' } },
  ],
  ['Antarctica', { ...nested, continent: { code: 'AN' } }, { continent: { code: 'AN', name: 'Antarctica' } }],
])('nested, with %s', (_name, record, difference) => {
  expect(placeOf(record, database)).toEqual({ ...frankfurt, ...difference })
})

test('Namibia is not a missing value', () => {
  expect(placeOf({ country_code: 'NA', state1: '', city: '' }, database)).toMatchObject({
    country: { code: 'NA', name: 'Namibia' },
    continent: { code: 'AF', name: 'Africa' },
    region: null,
    city: null,
  })
})

test.each<[string, IpRecord]>([
  ['an empty record', {}],
  ['ZZ and coordinates', { country: { iso_code: 'ZZ' }, location: { latitude: 1, longitude: 1 } }],
  ['empty texts', { country_code: '', state1: '', city: '', latitude: 0, longitude: 0 }],
  ['a continent alone', { continent: { code: 'EU' } }],
])('%s is no place', (_name, record) => {
  expect(placeOf(record, database)).toBeUndefined()
})

test.each([
  '37.422',
  '-122.085',
  '-0.127586',
  '2.35138',
  '151.209',
  '0.5',
  '-33.8688',
  '5.72181',
  '123.456789',
  '179.99998',
  '52',
])('%s from a 32-bit float has no noise', text => {
  const stored = Math.fround(Number(text))
  const latitude = placeOf({ country_code: 'US', latitude: stored, longitude: stored }, database)?.latitude
  expect(Math.fround(latitude as number)).toBe(stored)
  if (text.length < 10) expect(JSON.stringify(latitude)).toBe(text)
  else expect(JSON.stringify(latitude).length).toBeLessThan(12)
})
