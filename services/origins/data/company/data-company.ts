/** What is this company at one glance: its identity, its filings, its two newest fiscal years? */
import { z } from 'zod'
import { secData } from '../../../../pipelines/sources/sec/upstream.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { companyAsked, companyOf, companyRefusals, financialsOf, notesOn } from './companies.ts'
import examples from './examples.json' with { type: 'json' }
import { filingAnswer, filingShape, filingsOf, formAsked } from './filings.ts'
import { snapshotAnswer } from './metric-answers.ts'
import { snapshotShape } from './metric-shapes.ts'

export const dataCompany = defineOperation({
  id: 'companySnapshot',
  path: '/data/company',
  price: '0.006',
  inBrief: 'Snapshot of a US company: newest SEC filings, ten metrics of two years and the latest quarter.',
  costs: 'looked up',
  sold: 'Sold also without metrics, where the company files none: `financials` is null.',
  title: 'Company snapshot',
  about:
    'A US-listed company in one answer: identity, newest SEC filings with links, and ten financial metrics of the last two fiscal years and the latest quarter, exactly as filed. By ticker or CIK.',
  tags: ['company', 'SEC', 'financials', 'filings', 'snapshot'],
  request: z.strictObject({
    ...companyAsked,
    filings: z.int().min(1).max(40).default(8).describe('How many filings'),
    form: formAsked,
  }),
  response: z.strictObject({
    cik: z.int(),
    name: z.string(),
    tickers: z.array(z.string()).optional(),
    industry: z.string().nullable().optional(),
    fiscal_year_end: z.string().nullable().optional(),
    recent_filings: z.array(filingShape),
    financials: snapshotShape.nullable(),
    financials_note: z.string().optional(),
    source: z.string().optional(),
  }),
  refusals: companyRefusals,
  example: examples.dataCompany,
  async answer({ filings: limit, form, ...asked }, tools, refuse) {
    const company = await companyOf(asked, tools, refuse)
    const [filings, financials] = await Promise.all([
      filingsOf(company, { form, limit }, tools),
      financialsOf(company, tools),
    ])
    const notes = notesOn(company, financials)
    return {
      cik: company.cik,
      name: company.name,
      tickers: company.tickers,
      industry: company.industry,
      fiscal_year_end: company.fiscal_year_end,
      recent_filings: filings.map(filingAnswer),
      financials: financials ? snapshotAnswer(financials) : null,
      ...(notes.length ? { financials_note: notes.join(' ') } : {}),
      source: tools.credit(secData),
    }
  },
})
