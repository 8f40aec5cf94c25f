/** What is this company that files with the SEC, and what did it file? */
import { z } from 'zod'
import { secData } from '../../../../pipelines/sources/sec/upstream.ts'
import { edgarUrl } from '../../../../schemas/sec-companies.ts'
import { companyFilings } from '../../../../schemas/sec-filings.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { AnswerCache } from './answer-cache.ts'
import { companyAsked, companyOf, companyRefusals } from './companies.ts'
import examples from './examples.json' with { type: 'json' }
import { filingAnswer, filingShape, filingsOf, formAsked } from './filings.ts'

const text = z.string().nullable()
const answers = new AnswerCache()

export const secCompany = defineOperation({
  id: 'secCompany',
  path: '/sec/company',
  price: '0.002',
  inBrief: 'Profile of a US company in SEC EDGAR, and its newest filings with links.',
  costs: 'looked up',
  sold: 'Sold with its profile, also where it has no filing of the form.',
  trial: true,
  title: 'SEC company profile and filings',
  about:
    'Profile of a company in SEC EDGAR (name, tickers, exchanges, industry, address, fiscal year end) and its newest filings with direct links, of one form if asked. By ticker (BRK.B and BRK-B are one) or CIK.',
  tags: ['SEC', 'EDGAR', 'filings', '10-K', 'company'],
  request: z.strictObject({
    ...companyAsked,
    form: formAsked,
    limit: z.int().min(1).max(40).default(10).describe('How many filings'),
  }),
  response: z.strictObject({
    cik: z.int(),
    name: z.string(),
    tickers: z.array(z.string()).optional(),
    exchanges: z.array(z.string()).optional(),
    industry: text.optional(),
    state_of_incorporation: text.optional(),
    fiscal_year_end: text.optional().describe('MM-DD as EDGAR has it; years of 52 or 53 weeks end near it'),
    business_address: text.optional(),
    edgar_url: z.string().optional(),
    recent_filings: z.array(filingShape).describe('Newest first'),
    source: z.string(),
  }),
  refusals: companyRefusals,
  example: examples.secCompany,
  async answer({ form, limit, ...asked }, tools, refuse) {
    const company = await companyOf(asked, tools, refuse)
    const filings = await filingsOf(company, { form, limit }, tools)
    const source = tools.credit(secData)
    const recent = await tools.lookAll(companyFilings, company.cik)
    return answers.once(recent, company, JSON.stringify([form, limit, source]), () => ({
      cik: company.cik,
      name: company.name,
      tickers: company.tickers,
      exchanges: company.exchanges,
      industry: company.industry,
      state_of_incorporation: company.state_of_incorporation,
      fiscal_year_end: company.fiscal_year_end,
      business_address: company.business_address,
      edgar_url: edgarUrl(company.cik),
      recent_filings: filings.map(filingAnswer),
      source,
    }))
  },
})
