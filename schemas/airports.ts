/** Airports of the FAA's system, found by any of their codes. */
import { abroad, cities, icaoAbroad, mainland, oneRunway, others, unlisted } from './airport-codes.ts'

export interface Airport {
  /** The IATA code if there is one, else the FAA's: what callers are told. */
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

// The FAA and ICAO renamed Palm Beach on 2026-07-09, IATA from 2026-08-18: every old code still finds it.
const palmBeach = { lid: 'DJT', iata: { was: 'PBI', now: 'DJT', from: Date.parse('2026-08-18T00:00:00Z') } }
enter('DJT', 'KDJT', 'DJT')
for (const codes of [byIata, byLid]) codes.set('PBI', byLid.get('DJT') as Airport)
byIcao.set('KPBI', byLid.get('DJT') as Airport)

const named = (airport: Airport | undefined, now: number): Airport | undefined =>
  airport?.lid === palmBeach.lid && now < palmBeach.iata.from
    ? { ...airport, code: palmBeach.iata.was }
    : airport

const iataAbroad = new Set(words(abroad))

/** An airport elsewhere, by its code. Canada's ICAO codes are its IATA codes behind a C. */
const elsewhere = (code: string): boolean => iataAbroad.has(code) || icaoAbroad.test(code)

/** Among what callers ask for, IATA codes win: SCF is Scottsdale, HND is Tokyo. */
export function airportAsked(code: string, now: number): Airport | undefined {
  const ours = byIata.get(code) ?? byIcao.get(code)
  if (ours || iataAbroad.has(code)) return named(ours, now)
  const bare = /^K[A-Z0-9]{3}$/.test(code) ? code.slice(1) : ''
  return named(byLid.get(code) ?? byLid.get(bare) ?? byIata.get(bare), now)
}

/** Among what the feed names, FAA location ids win. An airport in no table goes by the feed's own word for it. */
export const airportInFeed = (id: string, now: number): Airport =>
  named(byLid.get(id) ?? byIata.get(id) ?? byIcao.get(id), now) ?? { code: id, lid: id, oneRunway: false }

/** The other words under which the feed may name an airport that is in no table. */
export const wordsInFeed = (code: string): string[] => [
  code,
  ...(/^[KC][A-Z0-9]{3}$/.test(code) ? [code.slice(1)] : []),
]

/** Why a code that names no airport of ours does not: it lies elsewhere, or names a city, or nothing at all. */
export const isElsewhere = (code: string): boolean => !(code in cities) && elsewhere(code)
export const cityAsked = (code: string): string | undefined => cities[code]
