/** Limits requests that are no calls: pages, probes, unknown paths and wrong methods. They leave a caller's calls alone. */
import { policyOf } from '../offer/rate.ts'
import { Callers, callerOf } from './callers.ts'

/** The limit for pages and unknown paths. */
export const visitsAMinute = 1200
/** The limit for pages that are long. Nobody reads so many, and each may wait in the kernel to be read. */
export const longVisitsAMinute = 120
/** A longer page is one of these. */
export const longBytes = 65_536
/** The limit for health and metrics. Probes come from few addresses, and no visitor may take their share. */
export const probesAMinute = 3000

/** Counts a request, and throws the free 429. */
type Count = (
  request: { readonly ip: string },
  reply: { header(name: string, value: string): unknown },
) => void

export interface Visits {
  visit: Count
  long: Count
  probe: Count
}

export function openVisits(now: () => number): Visits {
  const all = Callers.open(visitsAMinute, now)
  const counting = (callers: Callers) => {
    const policy = policyOf(callers.rate)
    const count: Count = (request, reply) => {
      reply.header('ratelimit-policy', policy)
      reply.header('ratelimit', callers.admit(callerOf(request)))
    }
    return count
  }
  return {
    visit: counting(all),
    long: counting(all.at('long', longVisitsAMinute)),
    probe: counting(all.at('probes', probesAMinute)),
  }
}
