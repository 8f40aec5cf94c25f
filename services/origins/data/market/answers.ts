/** Lists that the market operations share: prices, competitors, the best listings, hosts of one owner. */
import { Decimal } from 'decimal.js'
import { marketRules } from '../../../../schemas/tables/market-rules.ts'
import type { ReleaseSeller } from '../../../../schemas/values/market-release.ts'
import type { Exact } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import type { MarketOnSale, SaleListing } from './on-sale.ts'
import { ordered, type RankCandidate } from './order.ts'

export const price = (usd: string | null): Exact | null => (usd === null ? null : number(usd))

/** Rounds to two decimals. Null if nobody paid. */
export const perWallet = (calls: number, wallets: number): Exact | null =>
  wallets === 0 ? null : number(new Decimal(calls).div(wallets).toDecimalPlaces(2).toFixed())

/**
 * Finds the sellers of the same category with the nearest ranks, above and below. If one side has too few, the other side fills up.
 */
export function competitorsOf(seller: ReleaseSeller, { content }: MarketOnSale): ReleaseSeller[] {
  const rivals = content.sellers.filter(
    other => other.operator !== seller.operator && other.competitors_category === seller.competitors_category,
  )
  const { above, below } = marketRules.competitors
  const over = rivals.filter(({ rank }) => rank < seller.rank)
  const under = rivals.filter(({ rank }) => rank > seller.rank)
  const missing = Math.max(0, below - under.length)
  const chosen = over.slice(-(above + missing))
  return [...chosen, ...under.slice(0, above + below - chosen.length)]
}

/** Finds the listings that fit the task, best first, one for each operator. */
export function bestFor(
  task: string,
  limit: number,
  { index, listings }: MarketOnSale,
  isDead: (listing: SaleListing) => boolean = () => false,
): SaleListing[] {
  const ranked = ordered(
    index.find(task).map(({ place, relevance }): [RankCandidate, SaleListing] => {
      const listing = listings[place] as SaleListing
      const { wallets, repeat, price_usd } = listing.endpoint
      const price = price_usd === null ? undefined : Number(price_usd)
      return [{ relevance, wallets, repeat, price, tie: listing.tie }, listing]
    }),
  )
  const taken = new Set<string>()
  // A dead endpoint goes below all others, so that an operator's other endpoint may take its place.
  const sunk = [...ranked.filter(listing => !isDead(listing)), ...ranked.filter(isDead)]
  return sunk
    .filter(({ seller: { operator } }) => !taken.has(operator) && taken.add(operator))
    .slice(0, limit)
}

/** Is the seller an origin of ours, or is it paid at an address of an origin of ours? */
export const isOurs = (
  { host, operator }: ReleaseSeller,
  { byHost }: MarketOnSale,
  ownHosts: ReadonlySet<string>,
): boolean => ownHosts.has(host) || [...ownHosts].some(own => byHost.get(own)?.operator === operator)

/** Domains whose names belong to many owners. */
const shared =
  /(^|\.)(vercel\.app|workers\.dev|pages\.dev|onrender\.com|railway\.app|fly\.dev|run\.app|nip\.io|herokuapp\.com|netlify\.app|github\.io|deno\.dev|replit\.app|zuplo\.(app|dev)|web\.app|azurewebsites\.net|amazonaws\.com|cloudfront\.net)$/

/** Finds hosts of the same owner by their name. */
export function kinOf(host: string, hosts: Iterable<string>): string[] {
  if (shared.test(host)) return []
  const labels = host.split('.')
  const secondLevel = /^(co|com|org|net|gov|ac|or|ne)$/.test(labels.at(-2) ?? '') && labels.length > 2
  const domain = labels.slice(secondLevel ? -3 : -2).join('.')
  if (!domain.includes('.')) return []
  return [...hosts].filter(known => known === domain || known.endsWith(`.${domain}`))
}
