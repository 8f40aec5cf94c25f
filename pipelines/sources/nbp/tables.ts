/** Reads the tables of the National Bank of Poland. A file with any error in it is refused as a whole. */
import { Decimal } from 'decimal.js'
import { z } from 'zod'
import { type FxTable, fxBankRates } from '../../../schemas/fx-bank-rates.ts'
import { berlin } from '../../../schemas/tables/target-calendar.ts'
import { type Drift, driftOf, type KnownTypes } from '../../rails/drift.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { readJson } from '../../rails/formats/json.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { nbpUpstream } from './upstream.ts'

export type NbpSeries = FxTable['series']

const shape = z.array(
  z.looseObject({
    table: z.enum(['A', 'B']),
    effectiveDate: z.string(),
    rates: z.array(z.looseObject({ code: z.string(), mid: z.number() })),
  }),
)
const knownFields: KnownTypes = { table: 'string', no: 'string', effectiveDate: 'string', rates: 'array' }
/** Tables of the first years also name a country. */
const knownRates: KnownTypes = {
  currency: 'string',
  code: 'string',
  mid: 'number',
  country: 'string|null?',
  symbol: 'string|null?',
}

interface Tables {
  /** The oldest table comes first. */
  tables: FxTable[]
  drift: Drift[]
}
/** A table with fewer rates is cut off. */
const fewestRates = 10
const mostDigits = 12

/** The tables from `start` to `end`. The bank answers for at most 93 days at once, and with 404 if it has none. */
export async function readTables(
  outside: Outside,
  series: NbpSeries,
  { start, end }: { start: string; end: string },
): Promise<Tables> {
  const path = `/api/exchangerates/tables/${series}/${start}/${end}/?format=json`
  const answer = await outside.get(nbpUpstream, path, {
    accept: 'application/json',
    proof: ({ status, text }) => status === 200 || (status === 404 && /NotFound/.test(text())),
  })
  if (answer.status === 404) return { tables: [], drift: [] }
  const today = berlin(outside.now()).day
  const read = readJson(shape, answer.text(), answer.from)
  const tables = read.map(({ table, effectiveDate, rates }) => {
    const reject = (reason: string): never => {
      throw new UpstreamFailed(`${answer.from}, table ${table} of ${effectiveDate}: ${reason}`)
    }
    if (table !== series) reject(`it is not table ${series}`)
    const event = { bank: 'NBP', series, day: effectiveDate, quoted_in: 'PLN', rates: ratesOf(rates) }
    const { data, error } = fxBankRates.event.safeParse(event)
    if (!data) {
      const [issue] = error.issues
      return reject(`${issue?.path.join(' ')} is not ${issue?.message}`)
    }
    if (data.day > today) reject('it is in the future')
    if (data.day < start || data.day > end) reject(`it is not between ${start} and ${end}`)
    if (Object.keys(data.rates).length < fewestRates) reject(`fewer than ${fewestRates} rates`)
    return data
  })
  const drift = [
    ...driftOf(knownFields, read),
    ...driftOf(
      knownRates,
      read.flatMap(({ rates }) => rates),
    ).map(one => ({ ...one, what: `rates.${one.what}` })),
  ]
  return { tables: tables.sort((a, b) => (a.day < b.day ? -1 : 1)), drift }
}

/** The bank writes 0 for worthless money. A currency with two rates in a table is left out. */
function ratesOf(rates: readonly { code: string; mid: number }[]): Record<string, string> {
  const known = new Map<string, string | undefined>()
  for (const { code, mid } of rates) {
    const rate = new Decimal(mid).toDecimalPlaces(mostDigits)
    if (!rate.gt(0)) continue
    const text = rate.toFixed()
    known.set(code, known.has(code) && known.get(code) !== text ? undefined : text)
  }
  return Object.fromEntries([...known].filter(([, rate]) => rate !== undefined)) as Record<string, string>
}
