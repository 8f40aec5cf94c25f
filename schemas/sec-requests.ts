/**
 * Companies that the query role asks the ingest role to fetch. One process asks the SEC, so one request budget is
 * enough.
 */
import { z } from 'zod'
import { field, type RowOf } from './dataset.ts'
import { defineRequests, type Reply } from './requests.ts'
import { Cik } from './values.ts'

const asked = {
  cik: field(Cik, 'UInt32', 'The company'),
  what: field(
    z.enum(['company', 'older_filings']),
    'String',
    'company: the company, its newest filings and its facts; older_filings: the filings beyond the newest thousand',
  ),
}

export type CompanyAsked = RowOf<typeof asked>
export type CompanyReply = Reply<CompanyAsked>

export const secRequests = defineRequests({
  name: 'sec_requests',
  about: 'Companies to fetch now, and the outcome; it is not kept, because what callers ask for is private',
  asked,
  key: ['cik'],
})
