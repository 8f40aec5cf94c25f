/** What did a company earn, own and owe? Ten metrics, with the digits of its reports. */
import { z } from 'zod'
import { secData } from '../../../../pipelines/sources/sec/upstream.ts'
import { defineOperation } from '../../../operation.ts'
import { AnswerCache } from './answer-cache.ts'
import { companyAsked, companyOf, companyRefusals, financialsOf } from './companies.ts'
import examples from './examples.json' with { type: 'json' }
import { metricsAnswer } from './metric-answers.ts'
import { metricsShape } from './metric-shapes.ts'

const answers = new AnswerCache()

export const secFinancials = defineOperation({
  id: 'secFinancials',
  path: '/sec/financials',
  price: '0.004',
  costs: 'looked up',
  title: 'SEC financials of a company',
  about:
    'Ten metrics from a company’s XBRL reports: revenue, operating income, net income, diluted EPS, assets, liabilities, equity, cash, operating cash flow, shares. Last 4 fiscal years and the latest quarter, exactly as filed, each with its accession number.',
  tags: ['SEC', 'XBRL', 'financials', 'fundamentals', '10-K'],
  request: z.strictObject(companyAsked),
  response: z.strictObject({
    cik: z.int(),
    name: z.string(),
    metrics: metricsShape,
    note: z.string().optional().describe('Whatever is irregular about the figures'),
    source: z.string(),
  }),
  refusals: {
    ...companyRefusals,
    no_financial_data: { status: 422, about: 'The company files no financial data in XBRL' },
  },
  example: examples.secFinancials,
  async answer(asked, tools, refuse) {
    const company = await companyOf(asked, tools, refuse)
    const financials = await financialsOf(company, tools)
    if (!financials) return refuse('no_financial_data', `${company.name} files no financial data in XBRL`)
    const source = tools.credit(secData)
    return answers.once(financials, company, source, () => ({
      cik: company.cik,
      name: company.name,
      metrics: metricsAnswer(financials),
      ...(financials.notes.length ? { note: financials.notes.join(' ') } : {}),
      source,
    }))
  },
})
