/** Asks an endpoint for its x402 quote, without paying, through the guard of public addresses. Assumes hostile answers. */

import { caip2, isTestnet } from '../../../schemas/tables/stablecoins.ts'
import type { Offer } from '../../../schemas/values/offers.ts'
import type { PublicFetch, Visited } from '../../rails/outside/fetching/visit.ts'
import { NotPublic, VisitFailed } from '../../rails/outside/fetching/visit-failures.ts'
import { recordOf, textOf } from './json.ts'
import { type QuotesRead, readQuotes } from './quotes.ts'

export type ProbeMethod = 'GET' | 'POST'

interface Asked {
  url: string
  method: ProbeMethod
  /** JSON. Only for a POST. */
  body?: string
  /** From the DNS question to the last byte. */
  totalMs?: number
}

/** The answer of an endpoint to a request without a payment. */
export interface ProbeSeen {
  /** Absent if no answer came. Then `failure` has the reason. */
  status: number | undefined
  failure: VisitFailed | NotPublic | undefined
  method: ProbeMethod
  /** The x402 version of its quote. */
  version: 1 | 2 | undefined
  quotes: QuotesRead
  /** The offers that somebody could pay. */
  offers: Offer[]
  description: string | undefined
  latencyMs: number | undefined
  certificateEndsAt: number | undefined
  hops: readonly string[]
}

const limits = { redirects: 2, maxBytes: 256 << 10 } as const
const usualMs = 12_000
const mostOffers = 20
const mostText = 200
const noQuotes = readQuotes([])

/** Rejects only after an abort. A failure of the world is a result of the probe. */
export async function askQuote(
  fetch: PublicFetch,
  { url, method, body = '{}', totalMs = usualMs }: Asked,
  signal: AbortSignal,
): Promise<ProbeSeen> {
  const posted = { method, body, headers: { 'content-type': 'application/json' } }
  try {
    const visited = await fetch.visit(url, {
      ...limits,
      totalMs,
      firstByteMs: totalMs,
      signal,
      accept: 'application/json',
      ...(method === 'POST' && posted),
    })
    return { ...seen(visited), method, failure: undefined }
  } catch (error) {
    if (signal.aborted || !(error instanceof VisitFailed || error instanceof NotPublic)) throw error
    return { ...nothingSeen, method, failure: error }
  }
}

const nothingSeen = {
  status: undefined,
  version: undefined,
  quotes: noQuotes,
  offers: [],
  description: undefined,
  latencyMs: undefined,
  certificateEndsAt: undefined,
  hops: [],
}

function seen({
  status,
  headers,
  hops,
  bytes,
  certificateEndsAt,
}: Visited): Omit<ProbeSeen, 'method' | 'failure'> {
  const quote = status === 402 ? quoteIn(headers['payment-required'], bytes) : undefined
  const quotes = quote ? readQuotes(quote.accepts) : noQuotes
  return {
    status,
    version: quote?.version,
    quotes,
    offers: payable(quotes),
    description: quote && descriptionIn(quote.document),
    latencyMs: Math.round(hops.reduce((sum, { tookMs }) => sum + tookMs, 0)),
    certificateEndsAt,
    hops: hops.map(({ url }) => url),
  }
}

const payable = ({ accepts }: QuotesRead): Offer[] =>
  accepts
    .filter(
      ({ scheme, network, asset, amount, pay_to }) =>
        scheme && network && asset && pay_to && /^\d{1,78}$/.test(amount),
    )
    .slice(0, mostOffers)
    .map(({ scheme, network, asset, amount, pay_to }) => ({
      scheme: cut(scheme),
      network: cut(network),
      asset: cut(asset),
      amount,
      pay_to: cut(pay_to),
    }))

const cut = (text: string): string => text.slice(0, mostText)

/** Codes for what a buyer should know about the endpoint. */
export function problemsOf(
  { status, version, quotes, offers, hops, ...seen }: ProbeSeen,
  now: number,
): string[] {
  const { accepts, testnetOnly } = quotes
  const any = (is: (accept: (typeof accepts)[number]) => boolean) => accepts.some(is)
  const found: Record<string, boolean> = {
    unpaywalled: status !== undefined && status < 300,
    not_x402: status !== undefined && status >= 300 && status !== 402,
    no_quote: status === 402 && version === undefined,
    nothing_payable: version !== undefined && offers.length === 0,
    malformed_amount: any(({ amount }) => !/^\d{1,78}$/.test(amount)),
    no_pay_to: any(({ pay_to }) => pay_to === ''),
    unknown_network: any(({ network }) => !/^[a-z0-9-]{3,8}:[\w-]{1,64}$/i.test(caip2(network))),
    unknown_asset: any(({ price_usd, network }) => price_usd === null && !isTestnet(network)),
    testnet_only: testnetOnly,
    old_version: version === 1,
    redirected: hops.length > 1,
    plain_http: hops.some(url => url.startsWith('http:')),
    certificate_ends_soon: (seen.certificateEndsAt ?? Number.POSITIVE_INFINITY) - now < 7 * 86_400_000,
  }
  return Object.keys(found).filter(code => found[code])
}

interface Probed {
  /** Null if it answers, but without a quote. It may refuse a question without its fields before it names the price. */
  alive: boolean | null
  status: number | null
  quotes: QuotesRead | undefined
  latencyMs: number | null
  reason: string | null
}

export async function probeQuote(
  fetch: PublicFetch,
  { url, method }: { url: string; method: string },
  signal: AbortSignal,
): Promise<Probed> {
  const asked = { url, method: method === 'POST' || method === '' ? 'POST' : 'GET' } as const
  const { status, failure, quotes, latencyMs = null } = await askQuote(fetch, asked, signal)
  if (status === undefined)
    return {
      alive: false,
      status: null,
      quotes: undefined,
      latencyMs: null,
      reason: failure?.message ?? null,
    }
  const answer = { status, latencyMs }
  if (status !== 402) {
    const isGone = status >= 500 || status === 404 || status === 410
    const reason = `it answers ${status} in place of 402`
    return { ...answer, alive: isGone ? false : null, quotes: undefined, reason }
  }
  return quotes.accepts.length
    ? { ...answer, alive: true, quotes, reason: null }
    : { ...answer, alive: null, quotes: undefined, reason: 'its 402 carries no quote that can be read' }
}

interface Quote {
  version: 1 | 2
  document: Record<string, unknown>
  accepts: unknown[]
}

/** Version 2 quotes in a header, version 1 in the body. */
function quoteIn(header: unknown, body: Buffer): Quote | undefined {
  const texts = [
    typeof header === 'string' ? Buffer.from(header, 'base64').toString() : '',
    body.toString('utf8'),
  ]
  for (const text of texts) {
    const document = recordOf(parsed(text))
    const { accepts, x402Version } = document
    if (Array.isArray(accepts) && accepts.length)
      return { version: x402Version === 1 ? 1 : 2, document, accepts }
  }
  return undefined
}

function descriptionIn({ resource, accepts }: Quote['document']): string | undefined {
  const first = Array.isArray(accepts) ? recordOf(accepts[0]) : {}
  const text = textOf(recordOf(resource).description) || textOf(first.description)
  return text.slice(0, 500) || undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A stranger wrote it, so this is not an error of ours.
    return undefined
  }
}
