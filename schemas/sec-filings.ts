/** Every document that was filed with the SEC: what it is and where to find it. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Accession, SecDay } from './values/sec-values.ts'
import { Cik, Instant } from './values/values.ts'

const fields = {
  cik: field(Cik, 'UInt32', 'The filer'),
  accession: field(Accession, 'String', 'Accession number, with its dashes'),
  form: field(z.string().min(1), 'LowCardinality(String)', 'Form, such as 10-K, 8-K/A, 4'),
  filed: field(SecDay, 'Date32', 'The day it was filed'),
  accepted: field(Instant.nullable(), "Nullable(DateTime64(3, 'UTC'))", 'When EDGAR accepted it'),
  report_date: field(SecDay.nullable(), 'Nullable(Date32)', 'The day that it is about, or the last of them'),
  items: field(z.array(z.string()), 'Array(LowCardinality(String))', 'Items of an 8-K'),
  primary_document: field(z.string(), 'String', 'File name of the main document; empty for paper'),
  primary_doc_description: field(z.string(), 'String', 'Its title'),
  size: field(z.int().min(0), 'UInt32', 'Bytes of the whole submission'),
  is_xbrl: field(z.boolean(), 'Bool', 'It carries facts in XBRL'),
}

export type SecFiling = RowOf<typeof fields>

const newestBy = ['filed', 'accepted', 'accession'] as const

/** As long as EDGAR's own list of a company's recent filings. */
const recentFilings = 1000

export const companyFilings = latest<SecFiling>({
  name: 'company_filings',
  about: 'Every filing, one row each',
  key: ['cik', 'accession'],
  looked: { by: ['cik'], newestBy, most: recentFilings },
})

/** A company that files often has its annual reports beyond the newest thousand filings. */
export const companyFilingsByForm = latest<SecFiling>({
  name: 'company_filings_by_form',
  about: 'Every filing, one row each, looked up by its form',
  key: ['cik', 'accession'],
  looked: { by: ['cik', 'form'], newestBy, most: 100 },
})

export const secFilings = defineDataset({
  name: 'sec_filings',
  about: 'Every filing that EDGAR lists',
  fields,
  key: ['cik'],
  identity: ['cik', 'accession'],
  views: [companyFilings, companyFilingsByForm],
  packed: true,
  keep: { ms: 30 * 86_400_000 },
})

/** Reports that may bring facts. Only some 6-Ks do. */
export const reportForms = ['10-K', '10-Q', '10-KT', '10-QT', '20-F', '40-F', '6-K'].flatMap(form => [
  form,
  `${form}/A`,
])

/** A filing without a main document (paper, old letters) has an index page. */
export function filingUrl(filing: Pick<SecFiling, 'cik' | 'accession' | 'primary_document'>): string {
  return `${filingFolder(filing)}/${filing.primary_document || `${filing.accession}-index.htm`}`
}

export const filingFolder = ({ cik, accession }: Pick<SecFiling, 'cik' | 'accession'>): string =>
  `https://www.sec.gov/Archives/edgar/data/${cik}/${accession.replaceAll('-', '')}`
