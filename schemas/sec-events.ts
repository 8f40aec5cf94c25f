/** Material events: a summary of each 8-K, in a sentence or two. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset.ts'
import { Accession, SecDay } from './sec-values.ts'
import { Cik } from './values.ts'

const fields = {
  cik: field(Cik, 'UInt32', 'The filer'),
  accession: field(Accession, 'String', 'Accession number of the report'),
  form: field(z.string().min(1), 'LowCardinality(String)', '8-K, 8-K/A ...'),
  filed: field(SecDay, 'Date32', 'The day it was filed'),
  items: field(z.array(z.string()), 'Array(LowCardinality(String))', 'The item numbers of the report'),
  summary: field(
    z.string().nullable(),
    'Nullable(String)',
    'In plain English; null: no item of the report means anything',
  ),
  told_by: field(
    z.enum(['items', 'text', 'model']),
    'LowCardinality(String)',
    'What the summary is made from: the item codes alone, rules over the report’s own text, or a language model',
  ),
}

export type SecEvent = RowOf<typeof fields>

export const companyEvents = latest<SecEvent>({
  name: 'company_events',
  about: 'Every summarised 8-K, a row each',
  key: ['cik', 'accession'],
  looked: { by: ['cik'], newestBy: ['filed', 'accession'], most: 50 },
})

export const secEvents = defineDataset({
  name: 'sec_events',
  about: 'A summary of each 8-K report of a material event, in a sentence or two',
  fields,
  key: ['cik'],
  identity: ['cik', 'accession'],
  views: [companyEvents],
})

/** A successor issuer files 8-K12B, 8-K12G3 or 8-K15D5: they report events like any other 8-K. */
export const eventForms = ['8-K', '8-K12B', '8-K12G3', '8-K15D5'].flatMap(form => [form, `${form}/A`])
export const isEventForm = (form: string): boolean => eventForms.includes(form)
