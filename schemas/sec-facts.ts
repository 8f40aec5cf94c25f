/** Every number filed in XBRL: a row per concept, unit, period and filing, with the digits of the filing. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Accession, SecDay } from './values/sec-values.ts'
import { Cik } from './values/values.ts'

const word = 'LowCardinality(String)'

/** The values that the column can hold without changing a digit. Any other value is a reject, never a rounded number. */
const Value = z
  .string()
  .regex(/^-?\d{1,26}(\.\d{1,12})?$/, 'a decimal of at most 26 digits before the point and 12 after')

const fields = {
  cik: field(Cik, 'UInt32', 'The filer'),
  taxonomy: field(z.string().min(1), word, 'us-gaap, ifrs-full, dei ...'),
  concept: field(z.string().min(1), word, 'What was measured, such as Assets'),
  unit: field(z.string().min(1), word, 'USD, shares, USD/shares, pure ...'),
  period_start: field(SecDay.nullable(), 'Nullable(Date32)', 'First day; null: the fact is of one day'),
  period_end: field(SecDay, 'Date32', 'Last day, or the one day'),
  days: field(z.int(), 'Int32', 'period_end minus period_start in days; 0 for one day'),
  value: field(Value, 'Decimal(38, 12)', 'As filed'),
  accession: field(Accession, 'String', 'The filing that says so'),
  form: field(z.string().min(1), word, 'Its form'),
  filed: field(SecDay, 'Date32', 'The day it was filed'),
  fy: field(z.int().min(0).nullable(), 'Nullable(UInt16)', 'Fiscal year of the filing, not of the period'),
  fp: field(
    z.string().nullable(),
    'LowCardinality(Nullable(String))',
    'Fiscal period of the filing, not of the fact',
  ),
  frame: field(
    z.string().nullable(),
    'LowCardinality(Nullable(String))',
    'The calendar period that EDGAR assigns it to',
  ),
}

export type SecFact = RowOf<typeof fields>

export const secFacts = defineDataset({
  name: 'sec_facts',
  about: 'Every number filed in XBRL without dimensions, as filed',
  fields,
  key: ['cik'],
  checks: [
    {
      name: 'range',
      about: 'a fact is filed no later than tomorrow, and its period does not end before it begins',
      wrong: 'select cik, accession, concept from sec_facts where filed > today() + 1 or days < 0',
    },
  ],
  identity: ['cik', 'taxonomy', 'concept', 'unit', 'period_end', 'days', 'accession'],
  table: { found: ['accession', 'concept'] },
  packed: true,
  // The SEC publishes all facts again every night: the log need not keep 100 million of them for ever.
  keep: { ms: 7 * 86_400_000 },
})
