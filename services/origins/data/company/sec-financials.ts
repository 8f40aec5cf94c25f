/** What did a company earn, own and owe? Ten metrics, with the digits of its reports. */
import { z } from 'zod'
import { secData } from '../../../../pipelines/sources/sec/upstream.ts'
import { IsoDate, instant } from '../../../../schemas/values/values.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { AnswerCache } from './answer-cache.ts'
import { companyAsked, companyOf, companyRefusals, financialsOf, knownOn } from './companies.ts'
import examples from './examples.json' with { type: 'json' }
import { metricsAnswer } from './metric-answers.ts'
import { metricsShape } from './metric-shapes.ts'

const answers = new AnswerCache()

export const secFinancials = defineOperation({
  id: 'secFinancials',
  path: '/sec/financials',
  price: '0.004',
  inBrief:
    'Ten XBRL metrics of a US company as filed: 4 years, 8 quarters, twelve months; also as of a past day.',
  costs: 'looked up',
  sold: 'Sold if the company files any of them.',
  title: 'SEC financials of a company',
  about:
    'Ten metrics from a company’s XBRL reports: revenue, operating income, net income, diluted EPS, assets, liabilities, equity, cash, operating cash flow, shares. Last 4 fiscal years, the last 8 quarters and twelve months, as filed, each with its accession; what is derived or restated says so. As known on any past day (as_of).',
  tags: ['SEC', 'XBRL', 'financials', 'fundamentals', '10-K'],
  request: z.strictObject({
    ...companyAsked,
    as_of: IsoDate.nullish().describe(
      'The figures as they were known on this day: what was filed later is left out',
    ),
  }),
  response: z.strictObject({
    cik: z.int(),
    name: z.string(),
    as_of: z.string().optional(),
    metrics: metricsShape,
    note: z.string().optional().describe('Whatever is irregular about the figures'),
    source: z.string(),
  }),
  refusals: {
    ...companyRefusals,
    future_date: { status: 400, about: 'The day is still to come' },
    no_financial_data: { status: 422, about: 'The company files no financial data in XBRL' },
  },
  example: examples.secFinancials,
  async answer({ as_of: day, ...asked }, tools, refuse) {
    const asOf = day ?? undefined
    if (asOf && asOf > instant(tools.now()).slice(0, 10))
      return refuse('future_date', `${asOf} is still to come`)
    const company = await companyOf(asked, tools, refuse)
    const financials = asOf ? await knownOn(asOf, company, tools) : await financialsOf(company, tools)
    if (!financials)
      return refuse(
        'no_financial_data',
        asOf
          ? `${company.name} had filed no financial data in XBRL by ${asOf}`
          : `${company.name} files no financial data in XBRL`,
      )
    const source = tools.credit(secData)
    return answers.once(financials, company, source, () => ({
      cik: company.cik,
      name: company.name,
      ...(asOf ? { as_of: asOf } : {}),
      metrics: metricsAnswer(financials),
      ...(financials.notes.length ? { note: financials.notes.join(' ') } : {}),
      source,
    }))
  },
})
