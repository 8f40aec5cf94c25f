/** The result of the last probe of an endpoint, if the probe is recent. */
import { type MarketProbe, marketProbeNow } from '../../../../schemas/market-probes.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'

/** Each endpoint is probed hourly. An older probe says nothing about now. */
const lastsMs = 3 * 3_600_000

type ProbeOf = (url: string) => MarketProbe | undefined

export function probesIn({ view, now }: Pick<Tools, 'view' | 'now'>): ProbeOf {
  try {
    const held = view(marketProbeNow, undefined)
    return url => {
      const probe = held.get(url)
      return probe && now() - Date.parse(probe.checked_at) <= lastsMs ? probe : undefined
    }
  } catch (error) {
    // Before the first probe nothing is known about any endpoint, and the ranking does without.
    if (error instanceof Failure && error.code === 'not_ready') return () => undefined
    throw error
  }
}

export const probeAnswer = (probe: MarketProbe | undefined) => ({
  checked_at: probe?.checked_at ?? null,
  alive: probe?.alive ?? null,
  price_matches: probe?.price_matches ?? null,
  pay_to_matches: probe?.pay_to_matches ?? null,
  latency_ms: probe?.latency_ms ?? null,
  probe_note: probe?.reason ?? null,
})
