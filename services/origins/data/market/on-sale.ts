/** Opens the release on sale once: its sellers by host, and an index of its listings. */
import { newestWhole, type WholeRelease } from '../../../../pipelines/domains/market/release.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { marketRelease } from '../../../../schemas/market-weeks.ts'
import type { ReleaseEndpoint, ReleaseSeller } from '../../../../schemas/values/market-release.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Held, Tools } from '../../../offer/operation.ts'
import { MarketIndex } from './listing-index.ts'

export interface SaleListing {
  seller: ReleaseSeller
  endpoint: ReleaseEndpoint
  /** Decides between equals. It is made from the listing's words, so no seller gains by a choice of name. */
  tie: string
}

export interface MarketOnSale extends WholeRelease {
  byHost: ReadonlyMap<string, ReleaseSeller>
  inactive: ReadonlySet<string>
  listings: readonly SaleListing[]
  index: MarketIndex
}

export const marketOnSale = ({
  view,
}: Pick<Tools, 'view'>): { market: MarketOnSale; held: Held<unknown> } => {
  const held = view(marketRelease, undefined)
  return { held, market: held.once('market', () => ({ value: openMarket(newestWhole(held.rows())) })) }
}

export function openMarket(whole: WholeRelease | undefined): MarketOnSale {
  // A release comes in parts. Until the last part of the first release, there is nothing to sell.
  if (!whole)
    throw new Failure('not_ready', 'The first release of the market is not complete yet', {
      'Retry-After': '5',
    })
  const { week, sellers, inactive } = whole.content
  const listings = sellers.flatMap(seller =>
    seller.endpoints
      .filter(({ listed }) => listed)
      .map(endpoint => ({
        seller,
        endpoint,
        tie: sha256(`${week}|${new URL(endpoint.url).pathname}|${endpoint.description}`),
      })),
  )
  return {
    ...whole,
    byHost: new Map(sellers.map(seller => [seller.host, seller])),
    inactive: new Set(inactive),
    listings,
    index: new MarketIndex(listings.map(({ endpoint }) => endpoint)),
  }
}
