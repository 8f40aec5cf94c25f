/** Finds the verb and the body that an endpoint tells its price to. */

import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import { askQuote, type ProbeMethod, type ProbeSeen } from '../x402/quote-probe.ts'

export interface WantedVerbs {
  /** As `watchedUrl` writes it. */
  url: string
  /** What the catalog says. Absent: nobody knows. */
  method?: ProbeMethod | undefined
  body?: string | undefined
}

/** These may mean that the endpoint wants the other verb. */
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
