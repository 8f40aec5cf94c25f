/**
 * Rates of central banks other than the ECB, for currencies that the ECB does not publish. A table of a day is one
 * event.
 */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { CurrencyCode, IsoDate } from './values/values.ts'

const Rate = z
  .string()
  .regex(/^(0|[1-9]\d{0,9})(\.\d{1,12})?$/, 'a rate as decimal text, at most 12 digits after the point')
  .refine(text => /[1-9]/.test(text), 'a rate above 0')

const fields = {
  bank: field(
    z.enum(['NBP']),
    'LowCardinality(String)',
    'The bank that published them; NBP is the National Bank of Poland',
  ),
  series: field(
    z.enum(['A', 'B']),
    'LowCardinality(String)',
    "The bank's own name of the table: A is daily, B is weekly and has the rarer currencies",
  ),
  day: field(IsoDate, 'Date', 'The day of the rates'),
  quoted_in: field(CurrencyCode, 'LowCardinality(String)', 'The currency in which the bank states its rates'),
  rates: field(
    z.record(CurrencyCode, Rate),
    'Map(LowCardinality(String), Decimal(28, 12))',
    'Units of quoted_in for 1 of each currency, as published',
  ),
}

export type FxTable = RowOf<typeof fields>

export const fxBankDaily = latest<FxTable>({
  name: 'fx_bank_daily',
  about:
    'Rates of central banks beside the European Central Bank, one row per bank, day and currency; the column `bank` names the provider',
  key: ['bank', 'series', 'day'],
  held: true,
  required: false,
  source: 'nbp',
  sql: rows =>
    `select bank, series, day, quoted_in, currency, rate from ${rows} array join mapKeys(rates) as currency, mapValues(rates) as rate`,
  columns: {
    currency: 'ISO 4217 code',
    rate: 'What one unit of this currency is worth in `quoted_in`',
  },
})

export const fxBankRates = defineDataset({
  name: 'fx_bank_rates',
  about: 'Rates of central banks beside the European Central Bank, a row per table and publication day',
  fields,
  key: ['bank', 'series', 'day'],
  identity: ['bank', 'series', 'day'],
  views: [fxBankDaily],
  checks: [
    {
      name: 'gaps',
      about: 'no more than 6 days between two tables A, and 16 between two tables B, in the last 90 days',
      wrong: `select bank, series, day from (select bank, series, day, dateDiff('day', lagInFrame(day, 1, day) over (partition by bank, series order by day rows between 1 preceding and current row), day) as pause from fx_bank_rates where day > today() - 90) where pause > if(series = 'A', 6, 16)`,
    },
    {
      name: 'range',
      about: 'no rate doubles or halves from one table to the next, in the last 90 days',
      wrong: `select bank, currency, day from (select bank, currency, day, toFloat64(rate) as now, lagInFrame(toFloat64(rate), 1, toFloat64(rate)) over (partition by bank, series, currency order by day rows between 1 preceding and current row) as before from fx_bank_daily where day > today() - 90) where now > before * 2 or now < before / 2`,
    },
  ],
})
