import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

export const statusPath = '/api/airport-status-information'
export const eventsPath = '/api/airport-events'
export const oldStatusPath = '/flyfaa/xmlAirportStatus.jsp'

const proof = /<AIRPORT_STATUS_INFORMATION>/

export const faaUpstream: Upstream = {
  variable: 'FAA_URL',
  live: 'https://nasstatus.faa.gov',
  title: 'FAA airport status',
  credit: 'FAA National Airspace System Status (nasstatus.faa.gov)',
  probe: { path: statusPath, proof },
  sample: () => import('../../samples/airports.ts'),
}

/** The old address of the same document. */
export const oldFaaUpstream: Upstream = {
  variable: 'FAA_OLD_URL',
  live: 'https://www.fly.faa.gov',
  title: 'FAA airport status, old address',
  credit: faaUpstream.credit,
  standsInFor: faaUpstream,
  probe: { path: oldStatusPath, proof },
  sample: faaUpstream.sample,
}
