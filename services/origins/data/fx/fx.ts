/** What is an amount of one currency in another, at the ECB's rates? */
import { z } from 'zod'
import { ecbUpstream } from '../../../../pipelines/sources/ecb/upstream.ts'
import { nbpUpstream } from '../../../../pipelines/sources/nbp/upstream.ts'
import { type FxDay, fxDaily } from '../../../../schemas/fx-rates.ts'
import { berlin, dayPlus } from '../../../../schemas/tables/target-calendar.ts'
import { exact, IsoDate } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import { Failure } from '../../../offer/errors.ts'
import { defineOperation, type Held } from '../../../offer/operation.ts'
import { type Bank, bankNotice, bankOf, bankRate, isBeyond } from './bank-rates.ts'
import { convert, crossRate } from './cross-rate.ts'

const source = ecbUpstream.credit
/** The ECB's terms for resale demand this before payment and with each answer. */
export const notice = `Source: ${source}, available free of charge at https://www.ecb.europa.eu/stats/eurofxref/. Published for information purposes only; use for transactions is strongly discouraged. Any rate other than EUR-to-currency is computed here from the euro rates.`

const windowDays = 90
/** The longest real gap is Easter's: five days. */
const lookbackDays = 7

const withdrawn: Record<string, string> = {
  BGN: 'Bulgaria uses EUR since 2026-01-01',
  HRK: 'Croatia uses EUR since 2023-01-01',
  RUB: 'the ECB has published no RUB rate since 2022-03-01',
}

export const currency = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{3}$/, 'three letters')
  .toUpperCase()

export const provider = z
  .enum(['ECB', 'NBP'])
  .describe(
    'Whose rates they are: the European Central Bank, or for its rarer currencies the National Bank of Poland',
  )

export const fx = defineOperation({
  id: 'exchangeRate',
  path: '/fx',
  price: '0.002',
  inBrief:
    'Converts currencies at the daily euro reference rates (ECB; rarer ones: NBP), of today or the last 90 days.',
  costs: 'held',
  sold: 'whole',
  trial: true,
  title: 'Currency conversion',
  about: `Converts 30 currencies at the daily euro reference rates, rarer ones at those of Poland's NBP; today's or of 90 days. No rate: refused free. ${notice}`,
  tags: ['currency', 'exchange rate', 'ECB'],
  request: z.strictObject({
    from: currency.describe('Currency to convert from, e.g. USD'),
    to: currency.describe('Currency to convert to, e.g. JPY'),
    amount: z.number().min(0).max(1e15).default(1).describe('How much of `from`'),
    date: z
      .string()
      .trim()
      .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date as YYYY-MM-DD')
      .optional()
      .describe('A day of the last 90. A day without rates has those of the last day before it'),
  }),
  response: z.strictObject({
    from: z.string(),
    to: z.string(),
    amount: z.number().optional(),
    rate: exact().describe('Units of `to` for one of `from`; 8 significant digits where it is computed'),
    converted: exact().describe('`amount` times `rate`, to 4 decimals, below 1 to 8'),
    rate_date: z.string().describe('The day of the rate'),
    requested_date: z.string().nullable().optional(),
    source: z.string().optional(),
    provider: provider.optional(),
    notice: z.string(),
  }),
  refusals: {
    invalid_date: { status: 400, about: 'The date is not in the calendar, or in the future' },
    date_out_of_range: { status: 422, about: `The date is more than ${windowDays} days ago` },
    unsupported_currency: {
      status: 422,
      about: 'Neither the ECB nor the National Bank of Poland has a rate of the currency',
    },
    no_rate: { status: 422, about: 'The currency has no rate on the day found' },
  },
  example: {
    request: { from: 'USD', to: 'JPY', amount: 100 },
    response: {
      from: 'USD',
      to: 'JPY',
      amount: 100,
      rate: 159.83396,
      converted: 15983.396,
      rate_date: '2026-04-13',
      requested_date: null,
      source,
      provider: 'ECB',
      notice,
    },
  },
  answer({ from, to, amount, date }, { now, view, credit }, refuse) {
    if (date !== undefined) {
      const today = berlin(now()).day
      if (!IsoDate.safeParse(date).success) refuse('invalid_date', `There is no day ${date} in the calendar`)
      if (date > today) refuse('invalid_date', `date is in the future: it is ${today} in Frankfurt`)
      if (date < dayPlus(today, -windowDays))
        refuse(
          'date_out_of_range',
          `date is more than ${windowDays} days before ${today}; POST /fx/history has the days since 1999-01-04`,
        )
    }
    const converted = (day: string, rate: string) => ({
      from,
      to,
      amount,
      rate: number(rate),
      converted: number(from === to ? String(amount) : convert(amount, rate)),
      rate_date: day,
      requested_date: date ?? null,
    })
    const bank = bankOf(view)
    if (isBeyond(bank, from, to)) {
      const { day, rate } = bankRate(bank, { from, to, date, today: berlin(now()).day }, refuse)
      return {
        ...converted(day, rate),
        source: credit(nbpUpstream),
        provider: 'NBP',
        notice: bankNotice,
      }
    }
    const held = view(fxDaily, { date })
    const { days, newest } = held.once('days', sortedDays)
    for (const code of [from, to])
      if (code !== 'EUR' && newest.rates[code] === undefined)
        refuse('unsupported_currency', whyUnsupported(code, newest, bank))

    const day = dayOf(date, held, days)
    for (const code of [from, to])
      if (code !== 'EUR' && day.rates[code] === undefined)
        refuse('no_rate', `The ECB published no ${code} rate on ${day.day}`)
    const rate = crossRate(from, to, day.rates)
    return {
      ...converted(day.day, rate),
      source: credit(ecbUpstream),
      provider: 'ECB',
      notice,
    }
  },
})

export function sortedDays(held: Held<FxDay>) {
  const days = [...held.rows()].map(row => row.day).sort()
  return { value: { days, newest: held.get(days.at(-1) as string) as FxDay } }
}

function dayOf(date: string | undefined, held: Held<FxDay>, days: readonly string[]): FxDay {
  const found = date === undefined ? days.at(-1) : days.findLast(day => day <= date)
  if (found === undefined) throw new Failure('not_ready', `The rates of ${date} are not loaded yet`)
  if (date !== undefined && found < dayPlus(date, -lookbackDays))
    throw new Failure('stale_data', `The last rates before ${date} are those of ${found}`)
  return held.get(found) as FxDay
}

function whyUnsupported(code: string, newest: FxDay, { beyond, current }: Bank): string {
  const reason = withdrawn[code] ?? 'neither the ECB nor the National Bank of Poland publishes a rate of it'
  const listed = (codes: string[]) => codes.sort().join(', ')
  const others = listed([...beyond].filter(each => current.has(each)))
  return `${code} is not supported: ${reason}. Supported are EUR, ${listed(Object.keys(newest.rates))}${others && `; and at the rates of the National Bank of Poland ${others}`}. POST /fx/history has currencies that are gone`
}
