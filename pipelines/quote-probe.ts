/** Asks an endpoint for its x402 quote, without paying, through the guard of public addresses. */
import { UpstreamFailed } from './failures.ts'
import { NotPublic } from './public-fetch/failures.ts'
import type { PublicFetch, Visited } from './public-fetch/visit.ts'
import { recordOf } from './sources/catalog/json.ts'
import { type Quotes, readQuotes } from './sources/catalog/quotes.ts'

export interface Probed {
  /** Null: it answers, but not with a quote. A question without its fields may be refused before the price is told. */
  alive: boolean | null
  status: number | null
  quotes: Quotes | undefined
  latencyMs: number | null
  reason: string | null
}

const limits = { redirects: 2, maxBytes: 256 << 10, firstByteMs: 8_000, totalMs: 12_000 } as const

export async function probeQuote(
  fetch: PublicFetch,
  { url, method }: { url: string; method: string },
  signal: AbortSignal,
): Promise<Probed> {
  const asksWithBody = method === 'POST' || method === ''
  try {
    const visited = await fetch.visit(url, {
      ...limits,
      signal,
      accept: 'application/json',
      ...(asksWithBody && { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
    })
    return probed(visited)
  } catch (error) {
    if (signal.aborted) throw error
    // The world fails: that is what the probe is there to find out.
    if (error instanceof UpstreamFailed || error instanceof NotPublic)
      return { alive: false, status: null, quotes: undefined, latencyMs: null, reason: error.message }
    throw error
  }
}

function probed({ status, headers, hops, bytes }: Visited): Probed {
  const answer = { status, latencyMs: Math.round(hops.reduce((sum, { tookMs }) => sum + tookMs, 0)) }
  if (status !== 402) {
    const isGone = status >= 500 || status === 404 || status === 410
    const reason = `it answers ${status} in place of 402`
    return { ...answer, alive: isGone ? false : null, quotes: undefined, reason }
  }
  const quotes = readQuotes(acceptsIn(headers['payment-required'], bytes))
  return quotes.accepts.length
    ? { ...answer, alive: true, quotes, reason: null }
    : { ...answer, alive: null, quotes: undefined, reason: 'its 402 carries no quote that can be read' }
}

/** Version 2 quotes in a header, version 1 in the body. */
function acceptsIn(header: unknown, body: Buffer): unknown {
  const texts = [
    typeof header === 'string' ? Buffer.from(header, 'base64').toString() : '',
    body.toString('utf8'),
  ]
  for (const text of texts) {
    const accepts = recordOf(parsed(text)).accepts
    if (Array.isArray(accepts) && accepts.length) return accepts
  }
  return []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A stranger wrote it, so it is no error of ours.
    return undefined
  }
}
