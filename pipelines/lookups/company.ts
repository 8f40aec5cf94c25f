/** A company that is not loaded yet, fetched by the ingest role for whoever asks: what it brought can then be looked up. */
import type { SecRequest } from '../../schemas/sec-requests.ts'
import { UpstreamFailed } from '../failures.ts'
import type { Lookup } from './lookup.ts'

/** Has the ingest role fetch something now, which this process may not do itself. */
type Ask = (request: Pick<SecRequest, 'cik' | 'what'>) => Promise<SecRequest>

interface Needs {
  ask: Ask
}

async function fetched(what: SecRequest['what'], cik: number, ask: Ask): Promise<SecRequest | undefined> {
  const reply = await ask({ cik, what })
  if (reply.state === 'failed')
    throw new UpstreamFailed(reply.reason ?? `company ${cik} could not be fetched`)
  return reply.state === 'loaded' ? reply : undefined
}

/** The company, its newest filings, its financials; undefined: EDGAR has no such filer. */
export const companyLookup: Lookup<number, SecRequest, Needs> = {
  name: 'company',
  timeoutMs: 30_000,
  open: ({ ask }) => ({ find: cik => fetched('company', cik, ask) }),
}

/** Its filings beyond the newest thousand. */
export const olderFilingsLookup: Lookup<number, SecRequest, Needs> = {
  name: 'older_filings',
  timeoutMs: 30_000,
  open: ({ ask }) => ({ find: cik => fetched('older_filings', cik, ask) }),
}
