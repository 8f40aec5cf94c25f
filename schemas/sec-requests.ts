/** What the query tier asks the ingest role to fetch now, so that one request budget holds for both; and what came of it. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset.ts'
import { Cik, Instant } from './values.ts'

const fields = {
  cik: field(Cik, 'UInt32', 'The company asked for'),
  what: field(
    z.enum(['company', 'older_filings']),
    'String',
    'company: itself, its newest filings and its facts; older_filings: those beyond the newest thousand',
  ),
  state: field(
    z.enum(['asked', 'loaded', 'unknown', 'failed']),
    'String',
    'asked; then loaded: all of it stands in its topics; unknown: EDGAR has no such filer; failed: EDGAR did not answer',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
  reason: field(z.string().nullable(), 'Nullable(String)', 'Why it failed'),
}

export type SecRequest = RowOf<typeof fields>

export const secRequests = defineDataset({
  name: 'sec_requests',
  about: 'Companies to be fetched now, and what came of it; who was asked about is nobody’s data',
  fields,
  key: ['cik'],
  identity: ['cik', 'what', 'state', 'at'],
  audience: 'log',
  keep: { ms: 60 * 60_000 },
})
