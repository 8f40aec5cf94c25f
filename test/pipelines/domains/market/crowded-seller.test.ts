/** A catalog lists what sellers tell it, so one of them may list any number of endpoints. */
import { expect, it } from 'vitest'
import { assemble, type Rows } from '../../../../pipelines/domains/market/assembly.ts'
import type { MarketOffer } from '../../../../schemas/market-views.ts'

const many = 150_000
const offer = (host: string, nth: number): MarketOffer => ({
  ...{ host, resource_key: `${host}/${nth}`, url: `https://${host}/${nth}`, price_usd: '0.01' },
  ...{ price_is_max: false, calls: '2', payers: String(nth % 7), last_called_at: '2026-11-15T00:00:00.000Z' },
  ...{ placeholder: false, service_name: null, description: null, tags: [], parameters: [] },
  ...{ probe_method: 'POST', pay_tos: ['0x1'], networks: ['base'] },
})

it('150,000 endpoints of one seller break no release', () => {
  const rows: Rows = {
    snapshot: '2026-11-16T00:00:00.000Z',
    asOf: '2026-11-16T00:00:00.000Z',
    offers: [...Array.from({ length: many }, (_, nth) => offer('crowd.dev', nth)), offer('one.dev', 1)],
    ...{ operators: new Map(), walletHosts: new Map(), chains: new Map(), notes: new Map() },
    known: ['crowd.dev', 'one.dev'],
  }
  const { release } = assemble(rows)
  expect(release.sellers.map(({ host, endpoint_count }) => [host, endpoint_count])).toEqual([
    ['crowd.dev', many],
    ['one.dev', 1],
  ])
  expect(release.sellers[0]).toMatchObject({ paying_wallets_max: 6, calls: 2 * many })
  expect(release.categories[0]).toMatchObject({ endpoints: many + 1, paying_wallets_max: 6 })
}, 60_000)
