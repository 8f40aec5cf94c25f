/** Makes a release from the rebuilt views: sums, labels, ranks, categories. The same rows always give the same text. */

import type { MarketOffer } from '../../../schemas/market-views.ts'
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import type { OnchainNote, Release, ReleaseEndpoint } from '../../../schemas/values/market-release.ts'
import { isPlaceholder } from './categories.ts'
import { type AppliedLabel, cautionOf, labelsOf } from './labels.ts'
import { rulesSha256 } from './method.ts'
import { buyersReturn } from './repeat.ts'
import {
  type Chain,
  Exact,
  endpointOf,
  largest,
  type Seller,
  type SellerEndpoint,
  sumOf,
  withRevenue,
} from './seller.ts'
import { categoriesByWeight, categoryTotals, cents, outliers } from './totals.ts'
import { weekOf } from './week.ts'

export interface Rows {
  snapshot: string
  asOf: string
  offers: readonly MarketOffer[]
  operators: ReadonlyMap<string, string>
  /** For each host, the largest number of hosts that name one of its wallets. */
  walletHosts: ReadonlyMap<string, number>
  chains: ReadonlyMap<string, Chain>
  notes: ReadonlyMap<string, OnchainNote>
  /** Every host that the catalog has ever named. */
  known: readonly string[]
}

export interface RankedSeller {
  seller: Seller
  found: AppliedLabel[]
  rank: number
  revenue: string
}

export interface Assembled {
  release: Release
  ranked: RankedSeller[]
}

const mostWords = 600
const mostEndpoints = 1000

export function assemble(rows: Rows): Assembled {
  const ranked = rankedSellers(rows)
  const active = new Set(ranked.map(({ seller }) => seller.host))
  const release: Release = {
    week: weekOf(rows.snapshot),
    snapshot: rows.snapshot,
    as_of: rows.asOf,
    rule_version: rules.version,
    rules_sha256: rulesSha256,
    sellers: ranked.map(({ seller, found, rank, revenue }) => ({
      host: seller.host,
      operator: seller.operator,
      rank,
      est_revenue_usd: revenue,
      calls: seller.calls,
      paying_wallets_max: seller.payersMax,
      paid_endpoints: seller.paidEndpoints,
      endpoint_count: seller.endpoints.length,
      patterns: found.map(({ label }) => label.code),
      caution: cautionOf(found),
      categories: categoriesByWeight(seller).slice(0, 3),
      competitors_category: categoriesByWeight(seller)[0] ?? null,
      repeat_basis: seller.chain ? 'chain' : 'catalog',
      onchain_note: rows.notes.get(seller.host) ?? null,
      endpoints: seller.endpoints.slice(0, mostEndpoints).map(endpoint => released(seller, endpoint, found)),
    })),
    categories: categoryTotals(ranked.map(({ seller }) => seller)),
    inactive: rows.known.filter(host => !active.has(host)),
  }
  return { release, ranked }
}

function rankedSellers({ asOf, offers, operators, walletHosts, chains }: Rows): RankedSeller[] {
  const outlier = outliers(offers)
  const sellers = Map.groupBy(offers, ({ host }) => host)
    .entries()
    .map(([host, listed]): Seller => {
      const chain = chains.get(host)
      const read = listed.map(offer => endpointOf(offer, outlier.categories(offer), outlier.is(offer)))
      const endpoints = withRevenue(read, chain).sort(
        (a, b) => b.calls - a.calls || b.payers - a.payers || (a.key < b.key ? -1 : 1),
      )
      return {
        host,
        operator: operators.get(host) ?? host,
        endpoints,
        calls: endpoints.reduce((sum, { calls }) => sum + calls, 0),
        payersMax: largest(endpoints.map(({ payers }) => payers)),
        paidEndpoints: endpoints.filter(({ calls }) => calls >= 1).length,
        revenue: sumOf(endpoints),
        walletHosts: walletHosts.get(host) ?? 0,
        chain,
        asOf: Date.parse(asOf),
      }
    })
    .filter(({ calls }) => calls >= 1)
    .toArray()
  return sellers
    .map(seller => ({ seller, revenue: cents(seller.revenue) }))
    .sort(
      (a, b) =>
        new Exact(b.revenue).cmp(a.revenue) ||
        b.seller.payersMax - a.seller.payersMax ||
        b.seller.calls - a.seller.calls ||
        (a.seller.host < b.seller.host ? -1 : 1),
    )
    .map(({ seller, revenue }, index) => ({ seller, found: labelsOf(seller), rank: index + 1, revenue }))
}

const released = (
  seller: Seller,
  endpoint: SellerEndpoint,
  found: readonly AppliedLabel[],
): ReleaseEndpoint => {
  const listed =
    endpoint.calls >= 1 && !endpoint.placeholder && endpoint.price !== undefined && !isPlaceholder(endpoint)
  return {
    url: endpoint.url,
    price_usd: endpoint.price?.toFixed() ?? null,
    calls: endpoint.calls,
    wallets: endpoint.payers,
    repeat: buyersReturn(seller, endpoint, found),
    listed,
    ...(listed && endpoint.method && { method: endpoint.method, pay_to: endpoint.payTos ?? [] }),
    ...(listed && { networks: endpoint.networks ?? [] }),
    name: endpoint.serviceName,
    description: (endpoint.description ?? '').slice(0, mostWords),
    tags: endpoint.tags.slice(0, 20),
    parameters: endpoint.parameters.slice(0, 20),
  }
}
