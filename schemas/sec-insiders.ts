/** What insiders own and trade: every line of the Forms 3, 4 and 5. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Accession, SecDay } from './values/sec-values.ts'
import { Cik, Instant } from './values/values.ts'

const text = z.string().nullable()
const name = 'Nullable(String)'
const word = 'LowCardinality(Nullable(String))'
/** The numbers that the column holds without changing a digit. */
const number = z
  .string()
  .regex(/^-?\d{1,26}(\.\d{1,12})?$/, 'a decimal of at most 26 digits before the point and 12 after')
  .nullable()
const decimal = 'Nullable(Decimal(38, 12))'

const fields = {
  cik: field(Cik, 'UInt32', 'The issuer'),
  accession: field(Accession, 'String', 'Accession number of the form'),
  line: field(z.int().min(0), 'UInt16', 'Its place in the form'),
  form: field(z.string().min(1), 'LowCardinality(String)', '3, 4, 5 or an amendment: 4/A'),
  filed: field(SecDay, 'Date32', 'The day it was filed'),
  accepted: field(Instant.nullable(), "Nullable(DateTime64(3, 'UTC'))", 'When EDGAR took it'),
  issuer: field(z.string(), 'String', 'Name of the issuer, as the form has it'),
  ticker: field(text, word, 'Its ticker, as the form has it'),
  owner_cik: field(Cik, 'UInt32', 'The insider; of a joint form the first one'),
  owner: field(z.string(), 'String', 'Name of the insider'),
  joint_owners: field(z.array(z.string()), 'Array(String)', 'The others who file the form together'),
  is_director: field(z.boolean(), 'Bool', 'The insider is a director'),
  is_officer: field(z.boolean(), 'Bool', 'The insider is an officer'),
  is_ten_percent_owner: field(z.boolean(), 'Bool', 'The insider owns more than ten percent'),
  title: field(text, name, 'Of an officer'),
  kind: field(
    z.enum(['transaction', 'holding', 'none']),
    'LowCardinality(String)',
    'transaction; holding: owned and not traded; none: the form reports nothing',
  ),
  derivative: field(z.boolean(), 'Bool', 'An option, a warrant, a unit ...'),
  security: field(z.string(), 'String', 'What is owned or traded'),
  date: field(SecDay.nullable(), 'Nullable(Date32)', 'The day of the transaction'),
  code: field(text, word, 'P purchase, S sale, A grant, F tax, M exercise, G gift ...'),
  acquired: field(z.boolean().nullable(), 'Nullable(Bool)', 'true: acquired; false: disposed of'),
  shares: field(number, decimal, 'How many, as filed'),
  price: field(number, decimal, 'Price of one, as filed'),
  value: field(number, decimal, 'shares times price'),
  shares_after: field(number, decimal, 'Owned afterwards, in the same way'),
  direct: field(z.boolean(), 'Bool', 'false: owned through somebody or something else'),
  nature: field(text, name, 'Through whom or what'),
  exercise_price: field(number, decimal, 'Of a derivative'),
  expires: field(SecDay.nullable(), 'Nullable(Date32)', 'Of a derivative'),
  underlying: field(text, name, 'What a derivative is of'),
  underlying_shares: field(number, decimal, 'Of how many shares'),
  plan_10b5_1: field(
    z.boolean().nullable(),
    'Nullable(Bool)',
    'Under a Rule 10b5-1 plan; null: the form does not say',
  ),
}

export type SecInsider = RowOf<typeof fields>

const newestBy = ['filed', 'accepted', 'accession', 'line'] as const
const key = ['cik', 'accession', 'line'] as const

export const companyInsiders = latest<SecInsider>({
  name: 'company_insiders',
  about: 'Every line of the Forms 3, 4 and 5, looked up by issuer',
  key,
  looked: { by: ['cik'], newestBy, most: 3000 },
})

export const ownerInsiders = latest<SecInsider>({
  name: 'owner_insiders',
  about: 'Every line of the Forms 3, 4 and 5, looked up by insider',
  key,
  looked: { by: ['owner_cik'], newestBy, most: 3000 },
})

export const secInsiders = defineDataset({
  name: 'sec_insiders',
  about: 'Holdings and transactions of insiders, a row for every line of the Forms 3, 4 and 5 that were read',
  fields,
  key: ['cik'],
  identity: ['cik', 'accession', 'line'],
  views: [companyInsiders, ownerInsiders],
  checks: [
    {
      name: 'value',
      about: 'a value is shares times price',
      wrong:
        'select cik, accession, line from sec_insiders where abs(toFloat64(value) - toFloat64(shares) * toFloat64(price)) > 0.01 + abs(toFloat64(value)) / 1e6',
    },
  ],
})

export const insiderForms = ['3', '4', '5'].flatMap(form => [form, `${form}/A`])
export const isInsiderForm = (form: string): boolean => insiderForms.includes(form)
