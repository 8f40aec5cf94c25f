/** Reads the geocoder's reply into matches. The match that agrees most with the typed address comes first. */

import { z } from 'zod'
import type { Area, GeocodeMatch } from '../../../schemas/geocodes.ts'
import { withoutEnd } from '../../../schemas/values/text-end.ts'
import { normalised, readTyped, type Typed } from './address.ts'

const optionalText = z.string().optional()
const layer = z
  .array(z.looseObject({ GEOID: optionalText, NAME: optionalText, STUSAB: optionalText }))
  .optional()
  // A layer that we did not ask for must not spoil the others.
  .catch(undefined)

/** The names of the other layers carry years and numbers of Congresses. */
export const geographies = z.record(z.string(), layer)
type Geographies = z.output<typeof geographies>

export const layerOf = (found: Geographies | undefined, name: RegExp) =>
  Object.entries(found ?? {}).find(([layer, areas]) => name.test(layer) && areas?.length)?.[1]?.[0]

/** A block's number begins with that of its group. */
export const areaOf = (found: Geographies | undefined): Area => ({
  block_group: layerOf(found, /Census Blocks$/)?.GEOID?.match(/^\d{12}(?=\d{3})/)?.[0] ?? null,
  congressional_district: layerOf(found, /Congressional Districts$/)?.GEOID || null,
})

/** A match with the areas that it lies in. */
export type Located = GeocodeMatch & Area

export const replied = z.object({
  result: z.object({
    addressMatches: z.array(
      z.object({
        matchedAddress: z.string().min(1),
        coordinates: z.object({ x: z.number().min(-180).max(180), y: z.number().min(-90).max(90) }),
        addressComponents: z.object({ zip: optionalText, city: optionalText, state: optionalText }),
        geographies: geographies.optional(),
      }),
    ),
  }),
})

type Replied = z.output<typeof replied>['result']['addressMatches'][number]

export const matchesOf = ({ result }: z.output<typeof replied>): Located[] =>
  result.addressMatches.map(matchOf)

/** Degrees with six decimals, which is a decimetre. Further digits are noise of the interpolation. */
const degrees = (value: number): string => withoutEnd(withoutEnd(value.toFixed(6), '0'), '.')

function matchOf({ matchedAddress, coordinates, addressComponents, geographies }: Replied): Located {
  const { zip, city, state } = addressComponents
  const [county, tract, inState] = [
    geographies?.Counties?.[0],
    geographies?.['Census Tracts']?.[0],
    geographies?.States?.[0],
  ]
  return {
    matched_address: matchedAddress,
    lat: degrees(coordinates.y),
    lon: degrees(coordinates.x),
    // fromAddress and toAddress are the ends of the block, so the house number comes from matchedAddress.
    street: matchedAddress.split(',')[0]?.trim() || null,
    city: city || null,
    state: state || null,
    zip: zip || null,
    county: county?.NAME || null,
    county_fips: county?.GEOID || null,
    state_name: inState?.NAME || null,
    census_tract: tract?.GEOID || null,
    ...areaOf(geographies),
  }
}

/** Drops repetitions, and matches in a state other than the typed one. */
export function ranked(matches: readonly Located[], address: string): Located[] {
  const typed = readTyped(address)
  const distinct = new Map(matches.map(match => [match.matched_address, match]))
  return [...distinct.values()]
    .filter(({ state }) => typed.state === undefined || state === null || state === typed.state)
    .map(match => ({ match, agreement: agreement(match, typed) }))
    .sort((a, b) => b.agreement - a.agreement)
    .map(({ match }) => match)
}

/** House number, ZIP, city, state: each one outweighs all that come after it. */
function agreement({ street, city, state, zip }: GeocodeMatch, typed: Typed): number {
  const house = normalised(street ?? '').match(/^\S+/)?.[0]
  const hasWords = (text: string | null) =>
    text !== null && ` ${typed.words} `.includes(` ${normalised(text)} `)
  return (
    (house !== undefined && house === typed.house ? 8 : 0) +
    (zip !== null && zip === typed.zip ? 4 : 0) +
    (hasWords(city) ? 2 : 0) +
    (state !== null && state === typed.state ? 1 : 0)
  )
}

export const matchQuality = ['exact', 'zip_differs', 'city_differs', 'weak'] as const

/** How closely the match agrees with the typed address. The geocoder corrects spelling, ZIP and city without saying so. */
export function qualityOf(match: GeocodeMatch, address: string): (typeof matchQuality)[number] {
  const typed = readTyped(address)
  const house = normalised(match.street ?? '').match(/^\S+/)?.[0]
  const zipAgrees = typed.zip === undefined || match.zip === typed.zip
  const cityAgrees = match.city === null || ` ${typed.words} `.includes(` ${normalised(match.city)} `)
  if (house !== typed.house || !(zipAgrees || cityAgrees)) return 'weak'
  if (zipAgrees && cityAgrees) return 'exact'
  return zipAgrees ? 'city_differs' : 'zip_differs'
}
