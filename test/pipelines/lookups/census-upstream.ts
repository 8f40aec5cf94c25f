/** A stand-in for the Census geocoder: replies in its format, chosen by the requested address. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startUpstream, type Upstream } from '../../upstream.ts'

export { type MatchGiven, reply } from './census-bodies.ts'

export interface Census extends Upstream {
  /** The requested addresses, in order. */
  addresses(): string[]
}

export async function startCensus(
  answer: (address: string, response: ServerResponse, request: IncomingMessage) => string | undefined,
): Promise<Census> {
  const addressOf = ({ url = '' }: IncomingMessage) =>
    new URL(url, 'http://census').searchParams.get('address') ?? url
  const upstream = await startUpstream((request, response) => {
    const body = answer(addressOf(request), response, request)
    if (body !== undefined) response.setHeader('content-type', 'application/json').end(body)
  })
  return { ...upstream, addresses: () => upstream.asked.map(addressOf) }
}
