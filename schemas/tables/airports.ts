/** Finds an airport of the FAA's system by any of its codes. */
import { abroad, cities, icaoAbroad, mainland, oneRunway, others, unlisted } from './airport-codes.ts'

export interface Airport {
  /** The code in answers: the IATA code, or the FAA's if there is none. */
  code: string
  lid: string
  oneRunway: boolean
}

const words = (lines: readonly string[]) => lines.flatMap(line => line.split(' '))
const singles = new Set(words([oneRunway]))

const byIata = new Map<string, Airport>()
const byIcao = new Map<string, Airport>()
const byLid = new Map<string, Airport>()

function enter(iata: string | undefined, icao: string | undefined, lid: string): Airport {
  const airport = { code: iata ?? lid, lid, oneRunway: singles.has(iata ?? lid) }
  if (iata) byIata.set(iata, airport)
  if (icao) byIcao.set(icao, airport)
  byLid.set(lid, airport)
  return airport
}

for (const code of words(mainland)) enter(code, `K${code}`, code)
for (const lid of words(unlisted)) enter(undefined, `K${lid}`, lid)
for (const row of others.flatMap(line => line.split(', '))) {
  const [iata = '', icao = '', lid = iata] = row.split(' ')
  enter(iata, icao === '-' ? undefined : icao, lid)
}

// The FAA and ICAO renamed Palm Beach on 2026-07-09, and IATA on 2026-08-18. Every old code still finds it.
const palmBeach = { lid: 'DJT', iata: { was: 'PBI', now: 'DJT', from: Date.parse('2026-08-18T00:00:00Z') } }
enter('DJT', 'KDJT', 'DJT')
for (const codes of [byIata, byLid]) codes.set('PBI', byLid.get('DJT') as Airport)
byIcao.set('KPBI', byLid.get('DJT') as Airport)

const named = (airport: Airport | undefined, now: number): Airport | undefined =>
  airport?.lid === palmBeach.lid && now < palmBeach.iata.from
    ? { ...airport, code: palmBeach.iata.was }
    : airport

/** Each airport once. */
export const airports: readonly Airport[] = [
  ...new Map([...byLid.values()].map(airport => [airport.lid, airport])).values(),
]

const iataAbroad = new Set(words(abroad))

/** Whether the code names an airport outside the United States. An ICAO code of Canada is a C and the IATA code. */
const elsewhere = (code: string): boolean => iataAbroad.has(code) || icaoAbroad.test(code)

/** Finds the airport for a caller. If two systems use one code, IATA wins: SCF is Scottsdale, HND is Tokyo. */
export function airportAsked(code: string, now: number): Airport | undefined {
  const ours = byIata.get(code) ?? byIcao.get(code)
  if (ours || iataAbroad.has(code)) return named(ours, now)
  const bare = /^K[A-Z0-9]{3}$/.test(code) ? code.slice(1) : ''
  return named(byLid.get(code) ?? byLid.get(bare) ?? byIata.get(bare), now)
}

/** Finds the airport for a code in the feed: FAA location ids win. An airport in no table keeps the feed's own code. */
export const airportInFeed = (id: string, now: number): Airport =>
  named(byLid.get(id) ?? byIata.get(id) ?? byIcao.get(id), now) ?? { code: id, lid: id, oneRunway: false }

/** All codes that the feed may use for an airport in no table. */
export const wordsInFeed = (code: string): string[] => [
  code,
  ...(/^[KC][A-Z0-9]{3}$/.test(code) ? [code.slice(1)] : []),
]

/** A code that names none of our airports names one outside the United States, a city, or nothing. */
export const isElsewhere = (code: string): boolean => !(code in cities) && elsewhere(code)
export const cityAsked = (code: string): string | undefined => cities[code]
