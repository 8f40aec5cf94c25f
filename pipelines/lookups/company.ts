/** Lets the ingest role fetch a company that is not loaded yet. Afterwards its rows can be looked up. */
import { type CompanyAsked, type CompanyReply, secRequests } from '../../schemas/sec-requests.ts'
import { UpstreamFailed } from '../failures.ts'
import type { Ask } from '../requests.ts'
import type { Lookup } from './lookup.ts'

interface Needs {
  ask: Ask
}

async function fetched(what: CompanyAsked['what'], cik: number, ask: Ask): Promise<CompanyReply | undefined> {
  const reply = await ask(secRequests, { cik, what })
  if (reply.state === 'failed')
    throw new UpstreamFailed(reply.reason ?? `company ${cik} could not be fetched`)
  return reply.state === 'loaded' ? reply : undefined
}

/** Loads the company, its newest filings and its financials. Undefined: EDGAR has no such filer. */
export const companyLookup: Lookup<number, CompanyReply, Needs> = {
  name: 'company',
  timeoutMs: 30_000,
  open: ({ ask }) => ({ find: cik => fetched('company', cik, ask) }),
}

/** Loads the company's filings beyond the newest thousand. */
export const olderFilingsLookup: Lookup<number, CompanyReply, Needs> = {
  name: 'older_filings',
  timeoutMs: 30_000,
  open: ({ ask }) => ({ find: cik => fetched('older_filings', cik, ask) }),
}
