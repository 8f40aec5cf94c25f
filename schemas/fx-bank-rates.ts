/** Rates of central banks beside the ECB, for currencies that it does not have. A table of a day is one event. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset.ts'
import { CurrencyCode, IsoDate } from './values.ts'

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
})
