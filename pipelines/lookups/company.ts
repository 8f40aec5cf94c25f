/** Has the ingest role fetch a company that is not loaded yet. The result can then be looked up. */
import {
  type CompanyAsked,
  type CompanyReply,
  type DocumentsAsked,
  secRequests,
} from '../../schemas/sec-requests.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import type { Ask } from '../rails/requests.ts'
import type { Lookup } from './lookup.ts'

interface Needs {
  ask: Ask
}
const needs = ({ ask }: Needs): Needs => ({ ask })

type Asked = Omit<CompanyAsked, 'documents' | 'as_of'> & Partial<CompanyAsked>

async function fetched(ask: Ask, asked: Asked): Promise<CompanyReply | undefined> {
  const reply = await ask(secRequests, { documents: null, as_of: null, ...asked })
  if (reply.state === 'failed')
    throw new UpstreamFailed(reply.reason ?? `company ${asked.cik} could not be fetched`)
  return reply.state === 'loaded' ? reply : undefined
}

/** Loads the company, its newest filings and its financials. Undefined if EDGAR has no such filer. */
export const companyLookup: Lookup<number, CompanyReply, Needs> = {
  name: 'company',
  timeoutMs: 30_000,
  needs,
  open: ({ ask }) => ({ find: cik => fetched(ask, { cik, what: 'company' }) }),
}

/** Loads the company's filings beyond the newest thousand. */
export const olderFilingsLookup: Lookup<number, CompanyReply, Needs> = {
  name: 'older_filings',
  timeoutMs: 30_000,
  needs,
  open: ({ ask }) => ({ find: cik => fetched(ask, { cik, what: 'older_filings' }) }),
}

interface Reading {
  cik: number
  documents: DocumentsAsked
}

/** Reads the texts of reports. The texts that arrive in time can be looked up, even if others fail. */
export const eventTextsLookup: Lookup<Reading, CompanyReply, Needs> = {
  name: 'event_texts',
  timeoutMs: 10_000,
  needs,
  open: ({ ask }) => ({ find: reading => fetched(ask, { ...reading, what: 'events' }) }),
}

/** Reads Forms 3, 4 and 5. The forms that arrive in time can be looked up, even if others fail. */
export const insiderFormsLookup: Lookup<Reading, CompanyReply, Needs> = {
  name: 'insider_forms',
  timeoutMs: 12_000,
  needs,
  open: ({ ask }) => ({ find: reading => fetched(ask, { ...reading, what: 'insiders' }) }),
}

/** Computes the figures of a company from everything filed up to a day. */
export const asOfLookup: Lookup<{ cik: number; as_of: string }, CompanyReply, Needs> = {
  name: 'financials_as_of',
  timeoutMs: 30_000,
  needs,
  open: ({ ask }) => ({ find: asked => fetched(ask, { ...asked, what: 'as_of' }) }),
}
