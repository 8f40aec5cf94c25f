/** Makes the facilitators of a till from their addresses. */
import type { NetworkName } from '../../../schemas/tables/networks.ts'
import type { FacilitatorAddress } from './addresses.ts'
import { Candidate } from './candidate.ts'
import { Catalog } from './catalog.ts'
import { Facilitator, type FacilitatorOptions } from './facilitator.ts'
import { Facilitators, type FacilitatorsOptions } from './facilitators.ts'

interface OpenOptions
  extends Pick<FacilitatorsOptions, 'onSupported' | 'onError' | 'timeoutsMs'>,
    Pick<FacilitatorOptions, 'now' | 'connections'> {
  addresses: readonly FacilitatorAddress[]
  sold: readonly NetworkName[]
}

export function openFacilitators({ addresses, sold, ...options }: OpenOptions): Facilitators {
  const names = new Map<string, number>()
  const candidates = addresses.map(({ places, ...address }, i) => {
    const { host } = new URL(address.url)
    // Metrics name a host, because a path may hold a key. Several addresses may have one host.
    const nth = (names.get(host) ?? 0) + 1
    names.set(host, nth)
    const name = nth > 1 ? `${host} (${nth})` : host
    const facilitator = new Facilitator({ ...address, ...options, name })
    return new Candidate(facilitator, places ?? i, { sold, onAnswer: () => facilitators.changed() })
  })
  const catalog = new Catalog(options.onError)
  const facilitators = new Facilitators({ ...options, candidates, catalog })
  return facilitators
}
