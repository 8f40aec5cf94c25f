/** The fields that /geocode and /weather share about a geocoded address. */
import type { Located } from '../../../pipelines/lookups/geocode.ts'
import { number } from '../../offer/answer.ts'

/** The terms of the Census API demand these words. */
export const censusNotice =
  'This product uses the Census Bureau Data API but is not endorsed or certified by the Census Bureau.'

export const matchAnswer = (match: Located) => ({
  ...match,
  lat: number(match.lat),
  lon: number(match.lon),
})

export const whyNoMatch = (hint: string | null | undefined): string =>
  `The geocoder knows no such address${hint ? `: ${hint}` : '; it needs a house number and street, with city and state or ZIP'}`
