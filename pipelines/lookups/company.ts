/** A company that is not loaded yet, fetched by the ingest role for whoever asks: what it brought can then be looked up. */
import type { SecRequest } from '../../schemas/sec-requests.ts'
import { NotReady, UpstreamFailed } from '../failures.ts'
import type { Outside } from '../outside/outside.ts'
import type { Lookup } from './lookup.ts'

async function fetched(
  what: SecRequest['what'],
  cik: number,
  { ask }: Outside,
): Promise<SecRequest | undefined> {
  if (!ask) throw new NotReady('nobody here can be asked to fetch a company')
  const reply = await ask({ cik, what })
  if (reply.state === 'failed')
    throw new UpstreamFailed(reply.reason ?? `company ${cik} could not be fetched`)
  return reply.state === 'loaded' ? reply : undefined
}

/** The company, its newest filings, its financials; undefined: EDGAR has no such filer. */
export const companyLookup: Lookup<number, SecRequest> = {
  name: 'company',
  timeoutMs: 30_000,
  find: (cik, outside) => fetched('company', cik, outside),
}

/** Its filings beyond the newest thousand. */
export const olderFilingsLookup: Lookup<number, SecRequest> = {
  name: 'older_filings',
  timeoutMs: 30_000,
  find: (cik, outside) => fetched('older_filings', cik, outside),
}
