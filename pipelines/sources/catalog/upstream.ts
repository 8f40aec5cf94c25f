import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

export const resourcesPath = '/platform/v2/x402/discovery/resources'

export const catalogUpstream: Upstream = {
  variable: 'CATALOG_URL',
  live: 'https://api.cdp.coinbase.com',
  title: 'catalog of x402 sellers',
  credit: 'the public catalog of x402 sellers',
  probe: { path: `${resourcesPath}?limit=20&offset=0`, proof: /"pagination"/ },
  sample: () => import('../../samples/market.ts'),
}
