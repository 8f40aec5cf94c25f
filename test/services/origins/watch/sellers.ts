/** A seller of the small web, its quotes, and questions to operations of the watch origin. */
import type { RequestListener } from 'node:http'
import { quoteLookup, quoteTimes } from '../../../../pipelines/lookups/quote.ts'
import { startLookups } from '../../../../pipelines/lookups/runner.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { openWeb, type Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import type { Asking } from '../ask.ts'

// No other test asks these hosts, so they need no pause.
quoteTimes.hostPauseMs = 0

export const payee = `0x${'ab'.repeat(20)}`

export const accept = (more: object = {}) => ({
  scheme: 'exact',
  network: networks.base.caip2,
  asset: networks.base.asset,
  amount: '10000',
  payTo: payee,
  ...more,
})

export const quoteHeader = (accepts: unknown, more: object = {}) =>
  Buffer.from(JSON.stringify({ x402Version: 2, accepts, ...more })).toString('base64')

/** Answers every request with this quote. */
export const quoting =
  (accepts: unknown = [accept()], more: object = {}): RequestListener =>
  (_, response) => {
    response.writeHead(402, { 'payment-required': quoteHeader(accepts, more) }).end('{}')
  }

export const answeringWith =
  (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
  }

/** Finds quotes on this web, with an empty cache. */
export async function quotesOf(web: Web, now: () => number): Promise<NonNullable<Asking['find']>> {
  const visits = web.fetch()
  const finder = await startLookups([quoteLookup], {
    needsOf: () => ({ visits }),
    outside: signal => ({ now, signal }) as never,
    now,
  })
  return (lookup, key) => finder.find(lookup, key)
}

export async function openStreet(now: () => number) {
  const web = await openWeb()
  const asking: Asking = { shelf: new Shelf(now), now, find: await quotesOf(web, now) }
  return { web, asking }
}
