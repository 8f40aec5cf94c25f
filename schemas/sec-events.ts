/** Material events: a summary of each 8-K, in a sentence or two. */
import { z } from 'zod'
import { defineDataset, field, latest, polledWithin, type RowOf } from './dataset/dataset.ts'
import { Accession, SecDay } from './values/sec-values.ts'
import { Cik, Instant } from './values/values.ts'

export const figureNames = ['revenue', 'net_income', 'net_loss', 'eps', 'loss_per_share', 'guidance'] as const

/** A figure as the company prints it. */
const figure = z.strictObject({
  what: z.enum(figureNames),
  /** The digits, sign and unit of the text: $(2.3) million. */
  value: z.string(),
  sentence: z.string(),
})
export type EventFigure = z.output<typeof figure>

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
    z.enum(['items', 'no text', 'text', 'model']),
    'LowCardinality(String)',
    'What the summary is made from: items: the item codes alone; no text: the same, because EDGAR has no text of the report; text: rules over its own text; model: a language model',
  ),
  accepted: field(Instant.nullable().default(null), "Nullable(DateTime64(3, 'UTC'))", 'When EDGAR took it'),
  name: field(z.string().default(''), 'String', 'The name of the filer on that day'),
  industry: field(
    z.string().nullable().default(null),
    'LowCardinality(Nullable(String))',
    'What the SIC code of the filer means',
  ),
  figures: field(
    z.array(figure).default([]),
    'Array(Tuple(what LowCardinality(String), value String, sentence String))',
    'Figures as the press release of the report prints them (EX-99.1), each with its sentence',
  ),
}

export type SecEvent = RowOf<typeof fields>

/** The values happen to sort from best to worst: text, no text, model, items. A better event is never replaced. */
const betterTold = ['told_by'] as const

export const companyEvents = latest<SecEvent>({
  name: 'company_events',
  about: 'Every summarised 8-K, a row each',
  key: ['cik', 'accession'],
  newest: betterTold,
  looked: { by: ['cik'], newestBy: ['filed', 'accession'], most: 50 },
})

/** The events of all companies, day by day. */
export const eventsByDay = latest<SecEvent>({
  name: 'events_by_day',
  about: 'Every summarised 8-K, a row each, looked up by the day it was filed',
  key: ['cik', 'accession'],
  newest: betterTold,
  looked: { by: ['filed'], newestBy: ['accepted', 'accession'], most: 3000 },
  source: 'sec_current',
  fresh: polledWithin(24 * 3_600_000),
})

export const secEvents = defineDataset({
  name: 'sec_events',
  about: 'A summary of each 8-K report of a material event, in a sentence or two',
  fields,
  key: ['cik'],
  identity: ['cik', 'accession', 'told_by'],
  views: [companyEvents, eventsByDay],
  checks: [
    {
      name: 'range',
      about: 'a report is filed no later than tomorrow, and what is told by its text has a summary',
      wrong:
        "select cik, accession from sec_events where filed > today() + 1 or (told_by in ('text', 'model') and summary is null)",
    },
  ],
})

/** A successor issuer files 8-K12B, 8-K12G3 or 8-K15D5: they report events like any other 8-K. */
export const eventForms = ['8-K', '8-K12B', '8-K12G3', '8-K15D5'].flatMap(form => [form, `${form}/A`])
export const isEventForm = (form: string): boolean => eventForms.includes(form)
