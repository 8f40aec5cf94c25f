/** Every lookup, in one list. */

import type { Chains } from '../domains/chain/open.ts'
import type { Reading } from '../domains/document/reading.ts'
import type { NamedModel } from '../domains/document/summary/model.ts'
import type { ProductReader } from '../domains/product/reader.ts'
import type { PublicFetch } from '../rails/outside/fetching/visit.ts'
import type { FindPage, Page, PageAsked } from '../rails/outside/pages/page.ts'
import type { Ask } from '../rails/requests.ts'
import {
  asOfLookup,
  companyLookup,
  eventTextsLookup,
  insiderFormsLookup,
  olderFilingsLookup,
} from './company.ts'
import { forecastLookup, outlookLookup, placeLookup } from './forecast.ts'
import { geocodeLookup, groundLookup } from './geocode.ts'
import { ipLookup, networkLookup } from './ip.ts'
import { listingLookup } from './listing.ts'
import type { Lookup } from './lookup.ts'
import {
  chainBalanceLookup,
  chainCheckLookup,
  chainPortfolioLookup,
  chainPretradeLookup,
  chainPriceLookup,
  chainTokenLookup,
  chainTxLookup,
} from './onchain.ts'
import { pageLookup } from './page.ts'
import { productLookup } from './product.ts'
import { quoteLookup } from './quote.ts'
import { mainLookup, pdfLookup, summaryLookup, visibleLookup } from './reading.ts'
import { type SearchChoice, searchLookup } from './search.ts'

/** What lookups need beside the outside. Each lookup sees only the part that it declares. */
export interface LookupNeeds {
  dataDir: string
  ipDatabase?: string | undefined
  ipExtras?: string | undefined
  ask: Ask
  /** The only way to a URL that a caller gave. */
  visits: PublicFetch
  chains: Chains
  pages: FindPage
  pageAtHand?: ((asked: PageAsked) => Page | undefined) | undefined
  reading: Reading
  model?: NamedModel | undefined
  search?: SearchChoice | undefined
  products: ProductReader
}

export const lookups: readonly Lookup<unknown, unknown, LookupNeeds>[] = [
  ipLookup,
  networkLookup,
  geocodeLookup,
  groundLookup,
  placeLookup,
  forecastLookup,
  outlookLookup,
  companyLookup,
  olderFilingsLookup,
  eventTextsLookup,
  insiderFormsLookup,
  asOfLookup,
  listingLookup,
  chainBalanceLookup,
  chainTokenLookup,
  chainTxLookup,
  chainPriceLookup,
  chainCheckLookup,
  chainPortfolioLookup,
  chainPretradeLookup,
  pageLookup,
  quoteLookup,
  visibleLookup,
  mainLookup,
  pdfLookup,
  summaryLookup,
  searchLookup,
  productLookup,
]
