/** The categories of a week: their revenue, their usual price, and the prices far from it. */
import type { Decimal } from 'decimal.js'
import type { MarketOffer } from '../../../schemas/market-views.ts'
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import type { ReleaseCategory } from '../../../schemas/values/market-release.ts'
import { categoriesOf } from './categories.ts'
import { Exact, largest, type Seller, sumOf } from './seller.ts'

/** Ranks use the same amount as answers, so that a buyer can check the rank. */
export const cents = (amount: Decimal): string => amount.toFixed(2)

export function outliers(offers: readonly MarketOffer[]) {
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

/** The categories of a seller. The one that earns the most comes first. */
export function categoriesByWeight(seller: Seller): string[] {
  const earned = new Map<string, { revenue: Decimal; calls: number }>()
  for (const endpoint of seller.endpoints)
    for (const [place, category] of endpoint.categories.entries()) {
      const sum = earned.get(category) ?? { revenue: new Exact(0), calls: 0 }
      // The whole revenue of an endpoint goes to its first category.
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

export function categoryTotals(sellers: readonly Seller[]): ReleaseCategory[] {
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
        paying_wallets_max: largest(members.map(({ endpoint }) => endpoint.payers)),
        median_price_usd: median(prices)?.toFixed() ?? null,
      }
    })
    .toArray()
    .sort((a, b) => new Exact(b.est_revenue_usd).cmp(a.est_revenue_usd) || (a.category < b.category ? -1 : 1))
}
