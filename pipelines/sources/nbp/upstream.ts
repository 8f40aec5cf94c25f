import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

export const nbpUpstream: Upstream = {
  variable: 'NBP_URL',
  live: 'https://api.nbp.pl',
  title: 'NBP rates',
  credit: 'National Bank of Poland average exchange rates, tables A and B',
  probe: { path: '/api/exchangerates/tables/B/?format=json', proof: /"effectiveDate"\s*:/ },
  sample: () => import('../../samples/bank-rates.ts'),
}
