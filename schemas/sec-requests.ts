/** The companies that the query tier has the ingest role fetch, so that one request budget holds for both. */
import { z } from 'zod'
import { field, type RowOf } from './dataset.ts'
import { defineRequests, type Reply } from './requests.ts'
import { Cik } from './values.ts'

const asked = {
  cik: field(Cik, 'UInt32', 'The company asked for'),
  what: field(
    z.enum(['company', 'older_filings']),
    'String',
    'company: itself, its newest filings and its facts; older_filings: those beyond the newest thousand',
  ),
}

export type CompanyAsked = RowOf<typeof asked>
export type CompanyReply = Reply<CompanyAsked>

export const secRequests = defineRequests({
  name: 'sec_requests',
  about: 'Companies to be fetched now, and what came of it; who was asked about is nobody’s data',
  asked,
  key: ['cik'],
})
