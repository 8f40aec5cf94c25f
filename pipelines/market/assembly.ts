/** From the rebuilt views to a release: sums, labels, ranks, categories. Pure: the same rows, the same text. */
import type { Decimal } from 'decimal.js'
import type { OnchainNote, Release, ReleaseCategory, ReleaseEndpoint } from '../../schemas/market-release.ts'
import { marketRules as rules } from '../../schemas/market-rules.ts'
import type { MarketOffer } from '../../schemas/market-views.ts'
import { categoriesOf, isPlaceholder } from './categories.ts'
import { cautionOf, type Found, labelsOf } from './labels.ts'
import { rulesSha256 } from './method.ts'
import { buyersReturn } from './repeat.ts'
import { type Chain, type Endpoint, Exact, endpointOf, type Seller, sumOf, withRevenue } from './seller.ts'

export interface Rows {
  snapshot: string
  asOf: string
  offers: readonly MarketOffer[]
  operators: ReadonlyMap<string, string>
  /** The most hosts that name one wallet of a host. */
  walletHosts: ReadonlyMap<string, number>
  chains: ReadonlyMap<string, Chain>
  notes: ReadonlyMap<string, OnchainNote>
  /** Every host that the catalog ever named. */
  known: readonly string[]
}

export interface Ranked {
  seller: Seller
  found: Found[]
  rank: number
  revenue: string
}

export interface Assembled {
  release: Release
  ranked: Ranked[]
}

/** What a buyer is shown is what is ranked by, so that he can check the rank. */
const cents = (amount: Decimal): string => amount.toFixed(2)
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

function rankedSellers({ asOf, offers, operators, walletHosts, chains }: Rows): Ranked[] {
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
        payersMax: Math.max(...endpoints.map(({ payers }) => payers)),
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

function outliers(offers: readonly MarketOffer[]) {
  const categories = new Map(offers.map(offer => [offer, categoriesOf(offer)]))
  const medians = new Map(
    Map.groupBy(
      offers.filter(({ calls, price_usd }) => Number(calls) >= 1 && price_usd !== null),
      offer => categories.get(offer)?.[0] ?? 'other',
    )
      .entries()
      .map(([category, called]) => [category, median(called.map(offer => new Exact(offer.price_usd ?? 0)))]),
  )
  const { usd, timesMedian, aboveUsd } = rules.priceOutlier
  return {
    categories: (offer: MarketOffer) => categories.get(offer) ?? ['other'],
    is: (offer: MarketOffer) => {
      if (offer.price_usd === null) return false
      const price = new Exact(offer.price_usd)
      const usual = medians.get(categories.get(offer)?.[0] ?? 'other')
      return (
        price.gt(usd) || (price.gt(aboveUsd) && usual !== undefined && price.gt(usual.times(timesMedian)))
      )
    },
  }
}

function median(values: readonly Decimal[]): Decimal | undefined {
  return values.toSorted((a, b) => a.cmp(b))[Math.floor((values.length - 1) / 2)]
}

const released = (seller: Seller, endpoint: Endpoint, found: readonly Found[]): ReleaseEndpoint => ({
  url: endpoint.url,
  price_usd: endpoint.price?.toFixed() ?? null,
  calls: endpoint.calls,
  wallets: endpoint.payers,
  repeat: buyersReturn(seller, endpoint, found),
  listed:
    endpoint.calls >= 1 && !endpoint.placeholder && endpoint.price !== undefined && !isPlaceholder(endpoint),
  name: endpoint.serviceName,
  description: (endpoint.description ?? '').slice(0, mostWords),
  tags: endpoint.tags.slice(0, 20),
  parameters: endpoint.parameters.slice(0, 20),
})

/** A seller's categories, the one that earns most first. */
function categoriesByWeight(seller: Seller): string[] {
  const earned = new Map<string, { revenue: Decimal; calls: number }>()
  for (const endpoint of seller.endpoints)
    for (const [place, category] of endpoint.categories.entries()) {
      const sum = earned.get(category) ?? { revenue: new Exact(0), calls: 0 }
      // What an endpoint is second and third about earns nothing of its own.
      const revenue = place === 0 ? endpoint.revenue : new Exact(0)
      earned.set(category, {
        revenue: sum.revenue.plus(revenue),
        calls: sum.calls + endpoint.calls / (place + 1),
      })
    }
  return [...earned]
    .sort(([a, x], [b, y]) => y.revenue.cmp(x.revenue) || y.calls - x.calls || (a < b ? -1 : 1))
    .map(([category]) => category)
}

function categoryTotals(sellers: readonly Seller[]): ReleaseCategory[] {
  const placed = sellers.flatMap(seller =>
    seller.endpoints.filter(({ calls }) => calls >= 1).map(endpoint => ({ seller, endpoint })),
  )
  return Map.groupBy(placed, ({ endpoint }) => endpoint.categories[0] ?? 'other')
    .entries()
    .map(([category, members]): ReleaseCategory => {
      const prices = members.flatMap(({ endpoint }) => endpoint.price ?? [])
      const revenue = sumOf(members.map(({ endpoint }) => endpoint))
      return {
        category,
        sellers: new Set(members.map(({ seller }) => seller.host)).size,
        endpoints: members.length,
        calls: members.reduce((sum, { endpoint }) => sum + endpoint.calls, 0),
        est_revenue_usd: cents(revenue),
        paying_wallets_max: Math.max(...members.map(({ endpoint }) => endpoint.payers)),
        median_price_usd: median(prices)?.toFixed() ?? null,
      }
    })
    .toArray()
    .sort((a, b) => new Exact(b.est_revenue_usd).cmp(a.est_revenue_usd) || (a.category < b.category ? -1 : 1))
}

/** The ISO week of a moment, UTC: the one that its Thursday is in. */
export function weekOf(at: string): string {
  const date = new Date(at)
  const thursday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()))
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7))
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  const week = Math.floor((thursday.getTime() - first) / 604_800_000) + 1
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`
}
