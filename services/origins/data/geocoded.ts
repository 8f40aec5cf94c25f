/** The fields that /geocode and /weather share about a geocoded address. */
import { number, type Tools } from 'farebox'
import { census, type Located } from 'farebox/geocoding'

/** The terms of the Census API demand these words. */
export const censusNotice =
  'This product uses the Census Bureau Data API but is not endorsed or certified by the Census Bureau.'

export const matchAnswer = (match: Located) => ({
  ...match,
  lat: number(match.lat),
  lon: number(match.lon),
})

/** What a sandbox lacks is no fault of the question. */
export const onlySamples = (what: string): string =>
  `Bundled samples stand in for the Census Bureau here, and they have no ${what}`

export const whyNoMatch = (hint: string | null | undefined, { isSample }: Pick<Tools, 'isSample'>): string =>
  `${isSample(census) ? onlySamples('such address') : 'The geocoder knows no such address'}${hint ? `: ${hint}` : '; it needs a house number and street, with city and state or ZIP'}`
