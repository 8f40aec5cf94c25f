/** Suggestions while somebody writes a place into a form: cities, ZIPs and airports that stand in tables of the house. Nothing is asked of others. */
import { readFileSync } from 'node:fs'
import { placesLike } from '../../../pipelines/lookups/geocode/places-like.ts'
import { airportsLike } from '../../../schemas/tables/airports-like.ts'
import type { ServedPage } from '../../offer/origin.ts'
import { type PlaceKind, placeKinds } from '../../offer/place.ts'

const most = 8

interface Suggestion {
  /** What is written into the field. */
  text: string
  beside: string
  lat: number
  lon: number
}

/** A street address keeps what stands before its last comma, and its city is suggested. */
function addressesLike(begun: string): Suggestion[] {
  const whole = placesLike(begun, most)
  const at = begun.lastIndexOf(',')
  const [before, end] = [begun.slice(0, at + 1), begun.slice(at + 1)]
  const found =
    whole.length || at < 0
      ? { before: '', places: whole }
      : { before: `${before} `, places: placesLike(end, most) }
  return found.places.map(({ name, lat, lon }) => ({
    text: found.before + name,
    beside: `${lat}, ${lon}`,
    ...{ lat, lon },
  }))
}

const inAirports = (begun: string): Suggestion[] =>
  airportsLike(begun, most).map(({ code, name, city, state, lat, lon }) => ({
    text: code,
    beside: `${name}, ${city}, ${state}`,
    ...{ lat, lon },
  }))

/** Coordinates can be those of a city, a ZIP or an airport. */
const coordinatesLike = (begun: string): Suggestion[] =>
  [
    ...inAirports(begun).filter(({ text }) => text === begun.trim().toUpperCase()),
    ...placesLike(begun, most).map(({ name, lat, lon }) => ({
      text: name,
      beside: `${lat}, ${lon}`,
      lat,
      lon,
    })),
    ...inAirports(begun).map(({ text, beside, ...at }) => ({
      text: `${beside} (${text})`,
      beside: `${at.lat}, ${at.lon}`,
      ...at,
    })),
  ].slice(0, most)

const likeOf: Record<PlaceKind, (begun: string) => Suggestion[]> = {
  address: addressesLike,
  airport: inAirports,
  coordinates: coordinatesLike,
}

/** A list of a kind that nobody knows is empty, as one of a place that nobody knows. */
export const placesPage: ServedPage = {
  path: '/places.json',
  answer: ({ query }) => {
    const { of = '', q = '' } = query
    const kind = placeKinds.find(each => each === of)
    return {
      type: 'application/json',
      headers: { 'cache-control': 'public, max-age=3600' },
      body: JSON.stringify({ places: kind && q.length <= 200 ? likeOf[kind](q) : [] }),
    }
  },
}

export const placesScript = {
  path: '/places.js',
  body: readFileSync(new URL('places-in-page.js', import.meta.url), 'utf8'),
}
