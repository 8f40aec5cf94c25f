/** Every number filed in XBRL: a row per concept, unit, period and filing, with the digits of the filing. */
import { z } from 'zod'
import { defineDataset, field, lately, latest, type RowOf } from './dataset/dataset.ts'
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

const identity = ['cik', 'taxonomy', 'concept', 'unit', 'period_end', 'days', 'accession'] as const

export const secConcepts = latest<SecFact>({
  name: 'sec_concepts',
  about: 'The same facts in the order of their concepts and periods, for questions over all filers',
  key: identity,
  required: false,
  ordered: {
    table: 'sec_facts_by_concept',
    about: 'The rows of the view `sec_concepts`, in the order of concepts and periods, from which it is read',
    by: ['concept', 'period_end', 'taxonomy', 'unit', 'days', 'cik', 'accession'],
    columns: Object.keys(fields) as (keyof SecFact)[],
  },
})

/** Name one concept or a few: then it reads nothing else. */
const secFiledAgain = latest<SecFact>({
  name: 'sec_filed_again',
  about:
    'Numbers that were filed more than once, of all filers, with the first and the last value: restated where they differ. Ask for one concept or a few',
  key: identity,
  required: false,
  sql: () => `
    select concept, period_end, taxonomy, unit, days, cik, argMin(value, tuple(filed, accession)) as value_first, argMax(value, tuple(filed, accession)) as value_last,
      min(filed) as filed_first, max(filed) as filed_last, argMax(accession, tuple(filed, accession)) as accession_last, uniqExact(value) as different_values,
      toFloat64(value_last) / nullIf(toFloat64(value_first), 0) - 1 as change
    from sec_concepts group by concept, period_end, taxonomy, unit, days, cik having count() > 1`,
  columns: {
    value_first: 'As filed first',
    value_last: 'As filed last',
    filed_first: 'The day on which it was filed first',
    filed_last: 'The day on which it was filed last',
    accession_last: 'The filing that says so last',
    different_values: 'How many different values were filed; 1: it was not restated',
    change:
      'By how much the last value is above the first one, as a share of it. One that was only rounded anew is near 0',
  },
})

export const secFacts = defineDataset({
  name: 'sec_facts',
  about: 'Every number filed in XBRL without dimensions, as filed',
  fields,
  key: ['cik'],
  checks: [
    {
      name: 'range',
      about: 'a fact is filed no later than tomorrow, and its period does not end before it begins',
      wrong: `select cik, accession, concept from sec_facts where ${lately} and (filed > today() + 1 or days < 0)`,
    },
  ],
  identity,
  views: [secConcepts, secFiledAgain],
  table: { found: ['accession'], whole: true },
  packed: true,
  // The SEC publishes all facts again every night: the log need not keep 100 million of them for ever.
  keep: { ms: 7 * 86_400_000 },
})
