/**
 * Places of the US, by ZIP and by name. `us-places.txt` has a line for each place: its name in the form of `nameKey`, its state, its name
 * where that cannot be told from the first, and the middle of each of its ZIPs in hundredths of a degree (a kilometre). The lines are in
 * order. They are made from the postal codes of GeoNames (download.geonames.org/export/zip, US.zip) as of March 2026, without those of
 * the armed forces.
 */
import { readFileSync } from 'node:fs'
import { usStates } from '../../../schemas/tables/us-states.ts'
import { withoutEnd } from '../../../schemas/values/text-end.ts'
import { normalised } from '../../../schemas/values/unicode.ts'

/** The licence demands the credit. */
export const placesNotice =
  'Places by GeoNames (geonames.org), CC BY 4.0: the middle of the ZIP, to a hundredth of a degree'

export interface UsPlace {
  /** How the question was understood, such as "Seattle, WA 98101". */
  name: string
  city: string
  state: string
  lat: number
  lon: number
}

interface Line {
  state: string
  city: string
  zips: readonly Zip[]
}

interface Zip {
  zip: string
  lat: number
  lon: number
}

const longWords: Readonly<Record<string, string>> = { ST: 'SAINT', STE: 'SAINTE', FT: 'FORT', MT: 'MOUNT' }

/** Two names that are equal in this form are one: St. Paul and Saint Paul, Winston-Salem and winston salem. */
export const nameKey = (name: string): string =>
  normalised(name, 'NFKD')
    .replace(/\p{M}|['’]/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .map(word => longWords[word] ?? word)
    .join(' ')

let text = ''

/** Read at the first question that needs it. A search in it takes less than a millisecond; a table would take 30 MB. */
export const placesText = (): string => {
  text ||= `\n${readFileSync(new URL('us-places.txt', import.meta.url), 'latin1')}`
  return text
}

const titled = (key: string): string => key.toLowerCase().replace(/\b[a-z]/g, letter => letter.toUpperCase())

/** The line that holds the place at an offset. */
export function lineAt(offset: number): Line {
  const all = placesText()
  const line = all.slice(all.lastIndexOf('\n', offset) + 1, all.indexOf('\n', offset))
  const [head = '', zips = ''] = line.split(':')
  const [named = '', own] = head.split('=')
  const [key = '', state = ''] = named.split('|')
  return { state, city: own ?? titled(key), zips: zips.split(' ').map(zipOf) }
}

function zipOf(text: string): Zip {
  const [zip = '', lat, lon] = text.split(',')
  return { zip, lat: Number(lat) / 100, lon: Number(lon) / 100 }
}

function lineOfZip(zip: string): Line | undefined {
  const found = [`:${zip},`, ` ${zip},`].map(each => placesText().indexOf(each)).find(at => at >= 0)
  return found === undefined ? undefined : lineAt(found)
}

function lineOfCity(key: string, state: string): Line | undefined {
  const found = ['=', ':'].map(end => placesText().indexOf(`\n${key}|${state}${end}`)).find(at => at >= 0)
  return found === undefined ? undefined : lineAt(found + 1)
}

const states = new Map(
  Object.entries(usStates).flatMap(([code, name]) => [
    [code, code],
    [nameKey(name), code],
  ]),
)
const stateWords = 3

/** A name and the state at its end: "SAINT LOUIS MO", "NEW YORK NEW YORK". The longest name of a state counts. */
function withState(key: string): { name: string; state: string } | undefined {
  const words = key.replace(/\bD C$/, 'DC').split(' ')
  for (let n = Math.min(stateWords, words.length); n > 0; n--) {
    const state = states.get(words.slice(-n).join(' '))
    if (state) return { name: words.slice(0, -n).join(' '), state }
  }
  return undefined
}

const zipAtEnd = /(?:^|[, ])(\d{5})(?:-\d{4})?$/
const country = /[, ](?:usa|u\.s\.a\.|united states(?: of america)?)$/i

/** The place that an address names, if it is a ZIP, or a city with its state. Undefined for every other address. */
export function usPlace(address: string): UsPlace | undefined {
  const asked = withoutEnd(address.trim().replace(country, ''), ', ')
  const [end = '', zip] = zipAtEnd.exec(asked) ?? []
  const before = asked.slice(0, asked.length - end.length)
  if (/\d/.test(before)) return undefined
  if (zip === undefined) return cityAt(nameKey(asked))
  const line = lineOfZip(zip)
  const middle = line?.zips.find(each => each.zip === zip)
  if (!line || !middle) return undefined
  // A ZIP of another state than the one beside it would be a guess.
  if (before !== '' && withState(nameKey(before))?.state !== line.state) return undefined
  return placeOf(line, middle, `${line.city}, ${line.state} ${zip}`)
}

function cityAt(key: string): UsPlace | undefined {
  const asked = withState(key)
  if (!asked) return undefined
  const { name, state } = asked
  const line = lineOfCity(name, state) ?? lineOfCity(name.replace(/^NEW YORK CITY$/, 'NEW YORK'), state)
  return line && placeOf(line, middleOf(line.zips), `${line.city}, ${line.state}`)
}

export const placeOf = ({ city, state }: Line, { lat, lon }: Zip, name: string): UsPlace => ({
  name,
  city,
  state,
  lat,
  lon,
})

const mean = (of: readonly number[]): number => of.reduce((sum, each) => sum + each, 0) / of.length

/** The ZIP that is nearest to the middle of all: the middle itself may lie in a bay. */
export function middleOf(zips: readonly Zip[]): Zip {
  const [lat, lon] = [mean(zips.map(each => each.lat)), mean(zips.map(each => each.lon))]
  const far = (zip: Zip) => Math.hypot(zip.lat - lat, (zip.lon - lon) * Math.cos((lat * Math.PI) / 180))
  return zips.reduce((nearest, each) => (far(each) < far(nearest) ? each : nearest))
}

const mostStates = 8

/** The states that have a city of this name, if the text is such a name without its state. It is never guessed. */
export function statesOf(address: string): readonly string[] {
  if (/\d/.test(address) || address.length > 60) return []
  const key = nameKey(address)
  const states: string[] = []
  let at = key === '' ? -1 : placesText().indexOf(`\n${key}|`)
  while (states.length < mostStates && at >= 0 && placesText().startsWith(`${key}|`, at + 1)) {
    states.push(lineAt(at + 1).state)
    at = placesText().indexOf('\n', at + 1)
  }
  return states
}
