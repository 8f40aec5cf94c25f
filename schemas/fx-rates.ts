/** Euro reference rates. A publication day is one event, so a reader never sees a part of a day. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { countries, currencies } from './dimensions.ts'
import { lastDue, targetDays } from './tables/target-calendar.ts'
import { CurrencyCode, IsoDate } from './values/values.ts'

const Rate = z
  .string()
  .regex(
    /^(0|[1-9]\d{0,9})(\.\d{1,8})?$/,
    'a rate as decimal text, at most 10 digits before the point and 8 after',
  )
  .refine(text => /[1-9]/.test(text), 'a rate above 0')

const fields = {
  day: field(IsoDate, 'Date', 'The day of the rates'),
  rates: field(
    z.record(CurrencyCode, Rate),
    'Map(LowCardinality(String), Decimal(18, 8))',
    'Units of each currency per 1 EUR, as published; EUR itself is not listed',
  ),
}

export type FxDay = RowOf<typeof fields>

/** The ECB may skip a day. After more missing days, its feed or our reader is broken. */
const mostMissingDays = 3

export const fxDaily = latest<FxDay, { date?: string | undefined }>({
  name: 'fx_daily',
  about: 'Euro reference rates of the European Central Bank, one row per day and currency',
  key: ['day'],
  held: true,
  source: 'ecb',
  fresh: ({ now, newest, asked: { date } }) => {
    if (!newest) return false
    if (date !== undefined && date <= newest.day) return true
    const due = lastDue(now)
    const expected = date !== undefined && date < due ? date : due
    return targetDays(newest.day, expected) === 0 || targetDays(newest.day, due) <= mostMissingDays
  },
  sql: rows =>
    `select day, currency, rate from ${rows} array join mapKeys(rates) as currency, mapValues(rates) as rate`,
  columns: {
    currency: 'ISO 4217 code',
    rate: 'What one euro is worth in this currency',
  },
})

export const fxRates = defineDataset({
  name: 'fx_rates',
  about: 'Euro foreign exchange reference rates of the European Central Bank, a row per publication day',
  fields,
  key: ['day'],
  identity: ['day'],
  views: [fxDaily, currencies, countries],
  checks: [
    {
      name: 'gaps',
      about: 'no more than five days between two publications',
      wrong: `select day from (select day, dateDiff('day', lagInFrame(day, 1, day) over (order by day rows between 1 preceding and current row), day) as pause from fx_rates) where pause > 5`,
    },
    {
      name: 'range',
      about: 'no rate moves by a quarter from one publication to the next, in the last 90 days',
      wrong: `select currency, day from (select currency, day, toFloat64(rate) as now, lagInFrame(toFloat64(rate), 1, toFloat64(rate)) over (partition by currency order by day rows between 1 preceding and current row) as before from fx_daily where day > today() - 90) where now > before * 1.25 or now < before / 1.25`,
    },
  ],
})
