/** A stand-in for EDGAR on loopback: live paths, and bodies in the live format. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createOutside } from '../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../../pipelines/rails/outside/upstreams/outside.ts'
import { scratchFolder } from '../../../scratch.ts'
import { startUpstream, type Upstream } from '../../../upstream.ts'

export const recorded = (name: string): Buffer =>
  readFileSync(new URL(`../../../recorded/sec/${name}`, import.meta.url))

export type Said = Buffer | string | { status: number; headers?: Record<string, string>; body?: string }

export const kestrel = 9990001
const ofKestrel: Record<string, Said> = {
  '/submissions/CIK0009990001.json': recorded('submissions.json'),
  '/submissions/CIK0009990001-submissions-001.json': recorded('older.json'),
  '/api/xbrl/companyfacts/CIK0009990001.json': recorded('companyfacts.json'),
  '/files/company_tickers_exchange.json': recorded('company_tickers_exchange.json'),
  '/cgi-bin/browse-edgar': recorded('getcurrent.atom'),
  '/Archives/edgar/data/9990001/000999000126000012/kestrel-20261031.htm': recorded('8-k.htm'),
  '/Archives/edgar/data/9990001/000999000126000012/0009990001-26-000012-index.htm': recorded('8-k-index.htm'),
  '/Archives/edgar/data/9990001/000999000126000009/form4.xml': recorded('form4.xml'),
  '/Archives/edgar/data/9990001/000999000126000012/kestrel-ex991.htm': recorded('8-k-release.htm'),
}

const noSuchKey = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>'

export interface Edgar extends Upstream {
  says: Record<string, Said>
  outside: (signal?: AbortSignal) => Outside
  dataDir: string
  paths(): string[]
}

export async function startEdgar(
  options: { rate?: number; now?: () => number; dataDir?: string } = {},
): Promise<Edgar> {
  const says: Record<string, Said> = { ...ofKestrel }
  const answer = ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const said = says[url] ?? says[url.split('?')[0] ?? ''] ?? { status: 404, body: noSuchKey }
    if (typeof said === 'string' || Buffer.isBuffer(said)) response.end(said)
    else response.writeHead(said.status, said.headers).end(said.body)
  }
  const upstream = await startUpstream(answer)
  const outside = createOutside({
    at: { SEC_DATA_URL: upstream.url, SEC_WWW_URL: upstream.url },
    contact: 'tests@example.org',
    shares: { SEC_RATE: options.rate ?? 1000 },
    now: options.now ?? Date.now,
  })
  return {
    ...upstream,
    says,
    dataDir: options.dataDir ?? scratchFolder(),
    outside: (signal = new AbortController().signal) => outside(signal),
    paths: () => upstream.asked.map(({ url }) => url ?? ''),
  }
}
