/** Rates that the ECB does not have, from the National Bank of Poland. Both rates of a pair come from that bank. */
import { nbpUpstream } from '../../../../pipelines/sources/nbp/upstream.ts'
import { type FxTable, fxBankDaily } from '../../../../schemas/fx-bank-rates.ts'
import { everInEcb } from '../../../../schemas/tables/ecb-currencies.ts'
import { dayPlus } from '../../../../schemas/tables/target-calendar.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Held, Tools } from '../../../offer/operation.ts'
import { quotedRate } from './cross-rate.ts'

export const bankNotice = `Source: ${nbpUpstream.credit}, available free of charge at https://nbp.pl. Published for information purposes only. Rates are mid rates in PLN; any rate other than currency-to-PLN is computed here from two of the same day.`
/** Table B, which has the rarer currencies, comes once a week. A holiday may move it. */
const lookbackDays = 10
export const bankFirstDay = '2002-01-02'

type Table = FxTable['series']

export interface Bank {
  /** Oldest first. */
  days: readonly string[]
  /** The currencies of the newest tables. */
  current: ReadonlySet<string>
  /** The current currencies that have a rate every day. */
  daily: ReadonlySet<string>
  /** The currencies that a table of the bank has, and the ECB never had. */
  beyond: ReadonlySet<string>
  newest: Readonly<Record<Table, string | undefined>>
  /** The price of one unit of the currency, in zloty. */
  rate(code: string, day: string): string | undefined
}

export const bankOf = (view: Tools['view']): Bank => {
  const held = view(fxBankDaily, undefined)
  return held.once('bank', () => ({ value: readBank(held) }))
}

function readBank(held: Held<FxTable>): Bank {
  const rows = [...held.rows()]
  const newest = { A: newestOf(rows, 'A'), B: newestOf(rows, 'B') }
  const of = (series: Table, day: string | undefined) =>
    day === undefined ? undefined : held.get('NBP', series, day)?.rates
  const currencies = rows.flatMap(({ rates }) => Object.keys(rates))
  const daily = ['PLN', ...Object.keys(of('A', newest.A) ?? {})]
  return {
    days: [...new Set(rows.map(({ day }) => day))].sort(),
    current: new Set([...daily, ...Object.keys(of('B', newest.B) ?? {})]),
    daily: new Set(daily),
    beyond: new Set(currencies.filter(code => !everInEcb.has(code))),
    newest,
    rate: (code, day) => (code === 'PLN' ? '1' : (of('A', day)?.[code] ?? of('B', day)?.[code])),
  }
}

const newestOf = (rows: readonly FxTable[], series: Table): string | undefined =>
  rows
    .filter(row => row.series === series)
    .map(({ day }) => day)
    .sort()
    .at(-1)

/** Does the pair need a bank other than the ECB? */
export const isBeyond = ({ beyond }: Bank, from: string, to: string): boolean =>
  beyond.has(from) || beyond.has(to)

const mostAgeDays = { A: 7, B: 11 }

/** Are the newest tables of the pair as new as they should be? */
export function isFresh(bank: Bank, codes: readonly string[], today: string): boolean {
  const series = codes.every(code => bank.daily.has(code)) ? 'A' : 'B'
  return (bank.newest[series] ?? '') >= dayPlus(today, -mostAgeDays[series])
}

/** The newest day, at most `date`, on which the bank has both rates. */
const bankDay = ({ days, rate }: Bank, codes: readonly string[], date: string | undefined) =>
  days.findLast(
    day => (date === undefined || day <= date) && codes.every(code => rate(code, day) !== undefined),
  )

interface Asked {
  from: string
  to: string
  date: string | undefined
  today: string
}

export function bankRate(
  bank: Bank,
  { from, to, date, today }: Asked,
  refuse: (code: 'unsupported_currency' | 'no_rate', message: string) => never,
) {
  const codes = [from, to]
  for (const code of codes)
    if (!bank.current.has(code))
      refuse('unsupported_currency', `${code} is not supported: no bank publishes a rate of it now`)
  const day = bankDay(bank, codes, date)
  if (day === undefined || (date !== undefined && day < dayPlus(date, -lookbackDays)))
    return refuse('no_rate', `The National Bank of Poland has no day with both rates near ${date ?? today}`)
  if ((date === undefined || date > day) && !isFresh(bank, codes, today))
    throw new Failure('stale_data', `The last rates of the National Bank of Poland are those of ${day}`)
  return { day, rate: bankCross(bank, from, to, day) }
}

/** The bank must have both rates on that day. */
export const bankCross = ({ rate }: Bank, from: string, to: string, day: string): string =>
  quotedRate(from, to, { quotedIn: 'PLN', rates: { [from]: rate(from, day), [to]: rate(to, day) } })
