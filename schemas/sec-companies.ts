/** Companies and people that file with the SEC, as EDGAR describes them today. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Cik, Instant } from './values/values.ts'

const text = z.string().min(1).nullable()
const name = 'Nullable(String)'
const word = 'LowCardinality(Nullable(String))'

const fields = {
  cik: field(Cik, 'UInt32', 'Central Index Key of the filer'),
  name: field(z.string(), 'String', 'The name as EDGAR writes it'),
  tickers: field(z.array(z.string()), 'Array(String)', 'Every ticker that EDGAR lists for it'),
  exchanges: field(z.array(z.string()), 'Array(String)', 'Where it is listed, each exchange once'),
  entity_type: field(text, word, 'operating, investment, other ...'),
  sic: field(text, word, 'Standard Industrial Classification'),
  industry: field(text, word, 'What the SIC code stands for'),
  category: field(text, word, 'Filer category'),
  state_of_incorporation: field(text, word, 'State or country; its name where EDGAR has it, else its code'),
  fiscal_year_end: field(
    z
      .string()
      .regex(/^\d{2}-\d{2}$/, 'MM-DD')
      .nullable(),
    word,
    'MM-DD as EDGAR publishes it; where it publishes none, from the newest annual report',
  ),
  business_address: field(text, name, 'In one line'),
  former_names: field(z.array(z.string()), 'Array(String)', 'Newest first'),
  filing_count: field(
    z.int().min(0),
    'UInt32',
    'The number of filings that EDGAR lists, including those older than the newest 1000',
  ),
  read_at: field(
    Instant.default('1970-01-01T00:00:00.000Z'),
    "DateTime64(3, 'UTC')",
    'When EDGAR said so; of an archive, the beginning of its day',
  ),
}

export type SecCompany = RowOf<typeof fields>

export const companyNow = latest<SecCompany>({
  name: 'company_now',
  about: 'Every company and person that files with the SEC',
  key: ['cik'],
  newest: ['read_at'],
  looked: { by: ['cik'], newestBy: ['read_at'], most: 1 },
  source: 'sec_current',
  // If the feed of new filings is read, no change of a company goes unnoticed.
  fresh: ({ now, polledAt = 0, newest }) =>
    now - Math.max(polledAt, newest ? Date.parse(newest.read_at) : 0) <= 24 * 3_600_000,
})

export const secCompanies = defineDataset({
  name: 'sec_companies',
  about:
    'Every company and person that files with the SEC, as EDGAR described them each time that they were read',
  fields,
  key: ['cik'],
  // An archive may be read later than the feed's news about a company. The archive never replaces that news.
  identity: ['cik', 'read_at'],
  views: [companyNow],
  keep: { ms: 30 * 86_400_000 },
})

export const edgarUrl = (cik: number): string => `https://www.sec.gov/edgar/browse/?CIK=${cik}`
