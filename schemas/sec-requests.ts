/**
 * Companies that the query role asks the ingest role to fetch. One process asks the SEC, so one request budget is
 * enough.
 */
import { z } from 'zod'
import { field, type RowOf } from './dataset/dataset.ts'
import { defineRequests, type RequestReply } from './requests.ts'
import { Accession, SecDay } from './values/sec-values.ts'
import { Cik, Instant } from './values/values.ts'

/** The key of a document, and the fields beside its text. */
const documents = z.strictObject({
  name: z.string(),
  industry: z.string().nullable(),
  filings: z.array(
    z.strictObject({
      cik: Cik,
      accession: Accession,
      form: z.string(),
      filed: SecDay,
      accepted: Instant.nullable(),
      items: z.array(z.string()),
      primary_document: z.string(),
    }),
  ),
})
export type DocumentsAsked = z.output<typeof documents>

const asked = {
  cik: field(Cik, 'UInt32', 'The company'),
  what: field(
    z.enum(['company', 'older_filings', 'events', 'insiders', 'as_of']),
    'String',
    'company: the company, its newest filings and its facts; older_filings: the filings beyond the newest thousand; events and insiders: the 8-K reports, and the Forms 3, 4 and 5, that `documents` names; as_of: the figures as they were known on that day',
  ),
  as_of: field(SecDay.nullable().default(null), 'Nullable(Date32)', 'The day, where one is asked for'),
  documents: field(documents.nullable().default(null), 'Nullable(String)', 'The documents to read'),
}

export type CompanyAsked = RowOf<typeof asked>
export type CompanyReply = RequestReply<CompanyAsked>

export const secRequests = defineRequests({
  name: 'sec_requests',
  about: 'Companies to fetch now, and the outcome; it is not kept, because what callers ask for is private',
  asked,
  key: ['cik'],
})
