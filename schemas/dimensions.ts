/** What the names in facts stand for. */
import { dimension } from './dataset/dimension.ts'
import operationRows from './operations.json' with { type: 'json' }
import placeRows from './tables/airport-places.json' with { type: 'json' }
import { airports as allAirports } from './tables/airports.ts'
import { chains as allChains, chainNames } from './tables/chains.ts'
import { continentNames, continentOf, countryCodes, countryName, inEu } from './tables/countries.ts'
import { everInEcb } from './tables/ecb-currencies.ts'
import { usStates } from './tables/us-states.ts'

const word = 'LowCardinality(String)'
const maybe = 'Nullable(String)'

/** Name, city, state, latitude, longitude, time zone: of the package `airportsdata`, under tables/airport-places.license.txt. */
type Place = [
  code: string,
  name: string,
  city: string,
  state: string | null,
  lat: number,
  lon: number,
  zone: string,
]
const places = new Map((placeRows as Place[]).map(place => [place[0], place]))

export const airports = dimension({
  name: 'airports',
  about: 'Airports of the United States by the codes of `airport_events`, with name, city and state',
  rows: allAirports.map(({ code, lid }) => {
    const [, name, city, state, lat, lon, zone] = places.get(code) ?? []
    return { code, lid, name, city, state, lat, lon, zone }
  }),
  columns: {
    airport: [word, 'Its code, as in `airport_events`', ({ code }) => code],
    faa_code: [word, 'The code of the FAA', ({ lid }) => lid],
    name: [maybe, 'Its name; null: not known', ({ name }) => name ?? null],
    city: [maybe, 'The city', ({ city }) => city ?? null],
    state: [maybe, 'The postal code of its state or territory', ({ state }) => state ?? null],
    state_name: [maybe, 'Its state or territory', ({ state }) => (state && usStates[state]) ?? null],
    lat: ['Nullable(Float64)', 'Latitude', ({ lat }) => lat ?? null],
    lon: ['Nullable(Float64)', 'Longitude', ({ lon }) => lon ?? null],
    time_zone: [maybe, 'Its time zone', ({ zone }) => zone ?? null],
  },
})

export const countries = dimension({
  name: 'countries',
  about: 'Countries by their ISO 3166 codes',
  rows: countryCodes,
  columns: {
    country: [word, 'ISO 3166 code, of two letters', code => code],
    name: [maybe, 'Its common name in English', code => countryName(code) ?? null],
    continent: [word, 'The continent', code => continentNames[continentOf(code) ?? ''] ?? ''],
    in_eu: ['Bool', 'It, or this territory, is in the European Union', code => inEu(code)],
  },
})

const currencyName = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })
const digitsOf = (code: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    .maximumFractionDigits ?? 2

export const currencies = dimension({
  name: 'currencies',
  about: 'Currencies by their ISO 4217 codes',
  rows: [...new Set([...Intl.supportedValuesOf('currency'), ...everInEcb])].sort(),
  columns: {
    currency: [word, 'ISO 4217 code', code => code],
    name: [maybe, 'Its name in English', code => currencyName.of(code) ?? null],
    digits: ['UInt8', 'How many digits stand after the point of an amount', digitsOf],
    ever_in_ecb: [
      'Bool',
      'The European Central Bank publishes its rate, or has done so',
      code => everInEcb.has(code),
    ],
  },
})

export const chains = dimension({
  name: 'chains',
  about: 'Chains by the names in facts',
  rows: chainNames,
  columns: {
    chain: [
      word,
      'Its name, as in `chain_payments.network`, `receipts.network` and `token_prices.chain`',
      name => name,
    ],
    title: [word, 'Its name for people', name => allChains[name].title],
    family: [word, 'evm or svm', name => allChains[name].family],
    block_ms: ['UInt32', 'The time between two blocks, in ms', name => allChains[name].blockMs],
    coin: [word, 'The coin that pays its fees', name => allChains[name].native.symbol],
    usdc: ['String', "Circle's own USDC there", name => allChains[name].usdc],
    usdt: [maybe, "Tether's own USDT there; null: none", name => allChains[name].usdt],
  },
})

export const operations = dimension({
  name: 'operations',
  about:
    'What this version sells, by the names in `receipts.tool` and `settlements.operation`; what files sell is not among them',
  rows: operationRows as { operation: string; origin: string; path: string; title: string; price: string }[],
  columns: {
    operation: [word, 'Its name', ({ operation }) => operation],
    origin: [word, 'The origin that sells it', ({ origin }) => origin],
    path: ['String', 'Its path', ({ path }) => path],
    title: ['String', 'What it is, for people', ({ title }) => title],
    list_price_usd: [
      'Decimal(18, 6)',
      'Its price where no file of prices names another',
      ({ price }) => price,
    ],
  },
})
