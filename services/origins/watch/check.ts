/** Free: what does an x402 endpoint ask for now, and whom does it want paid? */
import { z } from 'zod'
import { problemsOf } from '../../../pipelines/domains/x402/quote-probe.ts'
import { quoteLookup } from '../../../pipelines/lookups/quote.ts'
import { exact, instant } from '../../../schemas/values/values.ts'
import { Failure } from '../../offer/errors.ts'
import { defineFree } from '../../offer/operation.ts'
import { shopOffer, shopUrl } from './examples.ts'
import { answering, listedMethod, offerAnswer, offerShape, price, urlAsked, urlOf } from './quoted.ts'

const text = z.string()

export const check = defineFree({
  id: 'checkX402Endpoint',
  path: '/check',
  method: 'GET',
  perMinute: 30,
  title: 'What an x402 endpoint asks for now',
  about:
    'Asks an endpoint for its 402 without paying: price, payee, networks, version 1 or 2, and what is wrong with the quote. It is asked with GET or POST, whichever tells the price. Kept for 30 s.',
  tags: ['x402', 'price', 'monitoring'],
  request: z.strictObject({ url: urlAsked }),
  response: z.strictObject({
    url: text.describe('The endpoint, in the form that /weigh uses'),
    x402: z.boolean().describe('It quotes a price that somebody could pay'),
    version: z.int().nullable().describe('The version of x402 in which it quotes'),
    status: z.int(),
    method: z.enum(['GET', 'POST']).describe('How it was asked'),
    offers: z.array(offerShape),
    price_usd: exact().nullable().describe('The cheapest offer in a known stablecoin'),
    description: text.nullable(),
    latency_ms: z.int().nullable(),
    tls_expires_at: text.nullable(),
    redirects: z.array(text).describe('Where it sent us, if it did'),
    problems: z.array(text).describe('Codes of what a buyer should know'),
    checked_at: text,
    cached: z.boolean().describe('It was asked within the last 30 s'),
  }),
  refusals: {
    invalid_url: { status: 400, about: 'The URL is malformed or not public' },
    unreachable: { status: 502, about: 'Nobody answers there' },
  },
  example: {
    request: { url: shopUrl },
    response: {
      url: shopUrl,
      x402: true,
      version: 2,
      status: 402,
      method: 'POST',
      offers: [shopOffer],
      price_usd: 0.002,
      description: 'Converts between 30 currencies',
      latency_ms: 87,
      tls_expires_at: null,
      redirects: [],
      problems: ['plain_http'],
      checked_at: '2026-11-16T09:00:00.000Z',
      cached: false,
    },
  },
  async answer({ url: typed }, tools, refuse) {
    const url = urlOf(typed, message => refuse('invalid_url', message))
    const found = await tools.find(quoteLookup, { url, method: listedMethod(url, tools) })
    if (!found) throw new Failure('upstream_failed')
    const { seen, at, cached } = found
    const status = answering(seen, refuse)
    return {
      url,
      x402: seen.offers.length > 0,
      version: seen.version ?? null,
      status,
      method: seen.method,
      offers: seen.offers.map(offerAnswer),
      price_usd: price(seen.quotes.price_usd),
      description: seen.description ?? null,
      latency_ms: seen.latencyMs ?? null,
      tls_expires_at: seen.certificateEndsAt === undefined ? null : instant(seen.certificateEndsAt),
      redirects: seen.hops.slice(1),
      problems: problemsOf(seen, at),
      checked_at: instant(at),
      cached,
    }
  },
})
