/** EDGAR's two hosts. The SEC counts the requests to both of them together. */
import type { Upstream, UpstreamRate } from '../../rails/outside/upstreams/upstream.ts'

export const secRate: UpstreamRate = {
  of: 'the SEC',
  variable: 'SEC_RATE',
  perSecond: 8,
  isTooMuch: (status, body) => status === 403 && !isMissing(status, body),
  forgivenAfterMs: 600_000,
}

/**
 * EDGAR's file store answers 403 for a missing file, and its gate answers 403 to a blocked caller. The body differs.
 */
export const isMissing = (status: number, body: string): boolean =>
  status === 404 || (status === 403 && /<Code>(AccessDenied|NoSuchKey)<\/Code>/.test(body))

export const tickersPath = '/files/company_tickers_exchange.json'
const credit = 'SEC EDGAR (sec.gov)'
const sample = () => import('../../samples/companies.ts')

export const secWww: Upstream = {
  variable: 'SEC_WWW_URL',
  live: 'https://www.sec.gov',
  title: 'SEC tickers and current filings',
  credit,
  rate: secRate,
  probe: { path: tickersPath, proof: /"exchange"/ },
  sample,
}

export const secData: Upstream = {
  variable: 'SEC_DATA_URL',
  live: 'https://data.sec.gov',
  title: 'SEC filings and facts',
  credit,
  rate: secRate,
  probe: { path: '/submissions/CIK0000320193.json', proof: /"filings"/ },
  sample,
}
