import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

export const census: Upstream = {
  variable: 'CENSUS_URL',
  live: 'https://geocoding.geo.census.gov',
  title: 'Census geocoder',
  credit: 'US Census Bureau Geocoder (Public_AR_Current)',
  /** The service runs at a single site, and has taken 14 s for an answer. Slower answers never arrive. */
  patience: {
    timeoutMs: 25_000,
    pausesMs: [500],
    atOnce: 4,
    mostWaiting: 64,
    circuit: { failures: 5, openMs: 30_000 },
  },
  probe: { path: '/geocoder/benchmarks', proof: /"benchmarks"/ },
  sample: () => import('../../samples/addresses.ts'),
}

/** Without `layers` the geocoder sends its usual ones: blocks and districts are among them, under names that change. */
export const always = {
  benchmark: 'Public_AR_Current',
  vintage: 'Current_Current',
  format: 'json',
}
