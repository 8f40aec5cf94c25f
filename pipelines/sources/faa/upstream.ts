import type { Upstream } from '../../outside/upstream.ts'

export const statusPath = '/api/airport-status-information'

export const faaUpstream: Upstream = {
  variable: 'FAA_URL',
  live: 'https://nasstatus.faa.gov',
  title: 'FAA airport status',
  credit: 'FAA National Airspace System Status (nasstatus.faa.gov)',
  probe: { path: statusPath, proof: /<AIRPORT_STATUS_INFORMATION>/ },
  sample: () => import('../../samples/airports.ts'),
}
