/** Finds the verb and the body for which an endpoint names its price. */

import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import { askQuote, type ProbeMethod, type ProbeSeen } from '../x402/quote-probe.ts'

export interface WantedVerbs {
  /** In the form of `watchedUrl`. */
  url: string
  /** The method in the catalog. Absent if unknown. */
  method?: ProbeMethod | undefined
  body?: string | undefined
}

/** These may mean that the endpoint expects the other verb. */
const wrongVerb = [400, 404, 405]

/** `turn` waits until the host of the endpoint may be asked again. */
export async function askEitherWay(
  fetch: PublicFetch,
  { url, method = 'GET', body }: WantedVerbs,
  signal: AbortSignal,
  turn: () => Promise<void> = async () => {},
): Promise<ProbeSeen> {
  const ask = async (method: ProbeMethod) => {
    await turn()
    return askQuote(fetch, { url, method, ...(body !== undefined && { body }) }, signal)
  }
  const first = await ask(method)
  if (first.status === undefined || !wrongVerb.includes(first.status)) return first
  const second = await ask(method === 'GET' ? 'POST' : 'GET')
  return second.status === 402 ? second : first
}
