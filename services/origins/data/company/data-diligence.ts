/** What must a buyer know of a company: ratios, figures, the events of a year, the filings to read? */
import { z } from 'zod'
import { secData } from '../../../../pipelines/sources/sec/upstream.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { companyAsked, companyOf, companyRefusals, financialsOf, notesOn } from './companies.ts'
import { figuresShape } from './event-shapes.ts'
import { keyFilings, materialEvents } from './events.ts'
import examples from './examples.json' with { type: 'json' }
import { filingShape } from './filings.ts'
import { snapshotAnswer, twoYearsOf } from './metric-answers.ts'
import { ratiosShape, snapshotShape } from './metric-shapes.ts'
import { ratiosOf } from './ratios.ts'

export const dataDiligence = defineOperation({
  id: 'companyDueDiligence',
  path: '/data/diligence',
  price: '0.03',
  inBrief: 'Due diligence on a US company: ratios, metrics, a year of material events in plain English.',
  costs: 'looked up',
  sold: 'Sold if there is any of them, and at least half of the texts came; another event is told by its items, with a note.',
  title: 'Company due diligence',
  about:
    'Due diligence on a US-listed company from its SEC filings: growth, margin, leverage and cash ratios, ten metrics exactly as filed, the 8-K events of the last 12 months in plain English, and links to the filings that count. By ticker or CIK.',
  tags: ['due diligence', 'company', 'SEC', 'ratios', '8-K'],
  request: z.strictObject(companyAsked),
  response: z.strictObject({
    cik: z.int(),
    name: z.string(),
    industry: z.string().nullable().optional(),
    ratios: ratiosShape.nullable().describe('Of the newest fiscal year; null where a ratio would mislead'),
    ratios_note: z.string().optional().describe('Where a ratio is of a figure that is not filed as such'),
    financials: snapshotShape.nullable().optional(),
    financials_note: z.string().optional().describe('Whatever is irregular about the figures'),
    recent_material_events: z.array(
      z.strictObject({
        form: z.string(),
        filed: z.string(),
        url: z.string(),
        summary: z.string().nullable(),
        figures: figuresShape.optional(),
        note: z.string().optional().describe('Why the summary says less than the report'),
      }),
    ),
    key_filings: z.array(filingShape.extend({ title: z.string() })).optional(),
    source: z.string().optional(),
    prepared_at: z.string().optional(),
  }),
  refusals: {
    ...companyRefusals,
    nothing_filed: { status: 422, about: 'The filer has neither figures nor events nor key filings' },
  },
  example: examples.dataDiligence,
  async answer(asked, tools, refuse) {
    const company = await companyOf(asked, tools, refuse)
    const [financials, events, filings] = await Promise.all([
      financialsOf(company, tools),
      materialEvents(company, tools),
      keyFilings(company, tools),
    ])
    if (!financials && !events.length && !filings.length)
      return refuse('nothing_filed', `${company.name} has filed neither figures nor reports`)
    const notes = notesOn(company, financials)
    const { ratios, note } = financials ? ratiosOf(twoYearsOf(financials)) : { ratios: null }
    return {
      cik: company.cik,
      name: company.name,
      industry: company.industry,
      ratios,
      ...(note ? { ratios_note: note } : {}),
      financials: financials ? snapshotAnswer(financials) : null,
      ...(notes.length ? { financials_note: notes.join(' ') } : {}),
      recent_material_events: events,
      key_filings: filings,
      source: tools.credit(secData),
      prepared_at: instant(tools.now()),
    }
  },
})
