/** Builds a release from listings, with the assembly that builds every release. */
import { assemble } from '../../../../../pipelines/domains/market/assembly.ts'
import { toParts } from '../../../../../pipelines/domains/market/release.ts'
import type { Chain } from '../../../../../pipelines/domains/market/seller.ts'
import type { MarketOffer } from '../../../../../schemas/market-views.ts'
import { marketReleases } from '../../../../../schemas/market-weeks.ts'
import type { Release } from '../../../../../schemas/values/market-release.ts'
import { Shelf } from '../../../../../services/query/shelf.ts'
import { stock } from '../../ask.ts'

export const snapshot = '2026-11-16T06:00:00.000Z'
export const builtAt = '2026-11-16T07:00:00.000Z'

export const offer = (host: string, path: string, more: Partial<MarketOffer> = {}): MarketOffer => ({
  host,
  resource_key: `${host}${path}|GET`,
  url: `https://${host}${path}`,
  price_usd: '0.010000000000000000',
  price_is_max: false,
  calls: '20',
  payers: '5',
  last_called_at: snapshot,
  placeholder: false,
  service_name: null,
  description: 'Forecast of the weather for any city',
  tags: [],
  parameters: [],
  probe_method: 'GET',
  pay_tos: [`0x${'ab'.repeat(20)}`],
  networks: ['eip155:8453'],
  ...more,
})

export interface Made {
  operators?: Record<string, string>
  chains?: Record<string, Chain>
  known?: string[]
}

export const releaseOf = (
  offers: readonly MarketOffer[],
  { operators = {}, chains = {}, known = [] }: Made = {},
): Release =>
  assemble({
    snapshot,
    asOf: '2026-11-16',
    offers,
    operators: new Map(Object.entries(operators)),
    walletHosts: new Map(),
    chains: new Map(Object.entries(chains)),
    notes: new Map(),
    known,
  }).release

export function onSale(release: Release | undefined, at = builtAt) {
  const now = () => Date.parse(at)
  const shelf = new Shelf(now)
  if (release)
    stock(shelf, marketReleases, toParts(JSON.stringify(release), { week: release.week, builtAt: at }))
  return { shelf, now }
}

/** The listings behind the examples of the three operations. */
export const exampleOffers: MarketOffer[] = [
  offer('x402.twit.sh', '/users/search', {
    description: 'Search Twitter/X for user accounts matching a keyword or phrase.',
    calls: '5210',
    payers: '142',
  }),
  offer('mailcheck.hugen.tokyo', '/validate', {
    description: 'Comprehensive email validation: syntax, MX records, disposable detection.',
    price_usd: '0.005000000000000000',
    calls: '310',
    payers: '24',
  }),
]
