import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

export const ecbUpstream: Upstream = {
  variable: 'ECB_URL',
  live: 'https://www.ecb.europa.eu',
  title: 'ECB rates',
  credit: 'European Central Bank euro foreign exchange reference rates',
  probe: { path: '/stats/eurofxref/eurofxref-daily.xml', proof: /<Cube time=/ },
  sample: () => import('../../samples/rates.ts'),
}
