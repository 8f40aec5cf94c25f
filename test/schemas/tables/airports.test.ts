import { describe, expect, test } from 'vitest'
import {
  abroad,
  cities,
  icaoAbroad,
  mainland,
  oneRunway,
  others,
  unlisted,
} from '../../../schemas/tables/airport-codes.ts'
import { airportAsked, airportInFeed } from '../../../schemas/tables/airports.ts'

const words = (lines: readonly string[]) => lines.flatMap(line => line.split(' '))
const rows = others.flatMap(line => line.split(', ')).map(row => row.split(' ') as [string, string, string?])
const now = Date.parse('2026-11-21T12:00:00Z')

const twice = (codes: readonly string[]) => codes.filter((code, i) => codes.indexOf(code) !== i)

describe('the table', () => {
  const iata = [...words(mainland), ...rows.map(([code]) => code)]
  const icao = [...words([...mainland, ...unlisted]).map(code => `K${code}`), ...rows.map(([, code]) => code)]
  const lids = [...words([...mainland, ...unlisted]), ...rows.map(([code, , lid]) => lid ?? code)]

  test('has no code of a kind twice, at home or abroad', () => {
    expect(twice([...iata, ...words(abroad)])).toEqual([])
    expect(twice(icao.filter(code => code !== '-'))).toEqual([])
    expect(twice(lids)).toEqual([])
  })

  test('has codes of the correct form, none of them for a city or a region abroad', () => {
    for (const code of [...iata, ...words(abroad)]) expect(code).toMatch(/^[A-Z]{3}$/)
    for (const code of lids) expect(code).toMatch(/^[A-Z0-9]{3,4}$/)
    for (const code of icao) expect(code).toMatch(/^([A-Z]{4}|-)$/)
    expect(Object.keys(cities).filter(code => [...iata, ...lids, ...words(abroad)].includes(code))).toEqual(
      [],
    )
    expect(icao.filter(code => code !== 'NSTU' && icaoAbroad.test(code))).toEqual([])
  })

  test('marks single runways of airports that it has', () => {
    expect(words([oneRunway]).filter(code => !iata.includes(code))).toEqual([])
  })

  test('finds every airport by each of its codes, from a caller or in the feed', () => {
    for (const [code, icaoCode, lid = code] of rows) {
      expect(airportAsked(code, now)?.code).toBe(code)
      if (icaoCode !== '-') expect(airportAsked(icaoCode, now)?.code).toBe(code)
      expect(airportInFeed(lid, now).code).toBe(code)
    }
  })
})

test('a K before an IATA code is removed if the result is not an ICAO code, a P or a T never', () => {
  expect(airportAsked('KAZA', now)?.code).toBe('AZA')
  expect(airportAsked('PLAX', now)).toBeUndefined()
  expect(airportAsked('TLAX', now)).toBeUndefined()
})
