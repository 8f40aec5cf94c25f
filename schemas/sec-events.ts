/** Material events: what each 8-K tells, in a sentence or two. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset.ts'
import { Accession, SecDay } from './sec-values.ts'
import { Cik } from './values.ts'

const fields = {
  cik: field(Cik, 'UInt32', 'The filer'),
  accession: field(Accession, 'String', 'Accession number of the report'),
  form: field(z.string().min(1), 'LowCardinality(String)', '8-K, 8-K/A ...'),
  filed: field(SecDay, 'Date32', 'The day it was filed'),
  items: field(z.array(z.string()), 'Array(LowCardinality(String))', 'The items it is filed under'),
  summary: field(
    z.string().nullable(),
    'Nullable(String)',
    'Plain English; null: no item that means anything',
  ),
  told_by: field(
    z.enum(['items', 'text', 'model']),
    'LowCardinality(String)',
    'By what it is told: the item codes alone, rules over the report’s own text, or a language model',
  ),
}

export type SecEvent = RowOf<typeof fields>

export const companyEvents = latest<SecEvent>({
  name: 'company_events',
  about: 'Every 8-K that was summarised, one row each',
  key: ['cik', 'accession'],
  looked: { by: ['cik'], newestBy: ['filed', 'accession'], most: 50 },
})

export const secEvents = defineDataset({
  name: 'sec_events',
  about: 'What each 8-K report of a material event tells, in a sentence or two',
  fields,
  key: ['cik'],
  identity: ['cik', 'accession'],
  views: [companyEvents],
})

/** Those of successors are events like any other. */
export const eventForms = ['8-K', '8-K12B', '8-K12G3', '8-K15D5'].flatMap(form => [form, `${form}/A`])
export const isEventForm = (form: string): boolean => eventForms.includes(form)
