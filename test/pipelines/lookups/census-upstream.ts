/** The Census geocoder as a test wants it: replies in its format, by the address that it is asked for. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startUpstream, type Upstream } from '../../upstream.ts'

export { type MatchGiven, reply } from './census-bodies.ts'

export interface Census extends Upstream {
  /** The addresses asked for, in order. */
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
