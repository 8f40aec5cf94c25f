/** Airports whose code, name or city begins as somebody has begun to write it. */

import { normalised } from '../values/unicode.ts'
import rows from './airport-places.json' with { type: 'json' }

interface AirportPlace {
  code: string
  name: string
  city: string
  state: string
  lat: number
  lon: number
}

const all = (rows as [string, string, string, string, number, number, string][]).map(
  ([code, name, city, state, lat, lon]) => ({ code, name, city, state, lat, lon }),
)
const plain = (text: string) => normalised(text, 'NFKD').replace(/\p{M}/gu, '').toUpperCase()
const searched = all.map(each => ({ each, city: plain(each.city), name: plain(each.name) }))

/** A code counts most, then a city, then a word of the name. ICAO codes of the mainland are a K and the code. */
export function airportsLike(begun: string, most: number): AirportPlace[] {
  const asked = plain(begun.slice(0, 60)).trim()
  if (asked.length < 2) return []
  const code = /^K[A-Z]{3}$/.test(asked) ? asked.slice(1) : asked
  const weighed = searched.flatMap(({ each, city, name }) => {
    const weight = each.code === code ? 4 : each.code.startsWith(asked) ? 3 : city.startsWith(asked) ? 2 : 0
    const found = weight || (` ${name}`.includes(` ${asked}`) ? 1 : 0)
    return found ? [{ each, found }] : []
  })
  return weighed
    .toSorted((a, b) => b.found - a.found)
    .slice(0, most)
    .map(({ each }) => each)
}
