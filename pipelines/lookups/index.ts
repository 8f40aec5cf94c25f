/** Every lookup, in one list. */

import {
  asOfLookup,
  companyLookup,
  eventTextsLookup,
  insiderFormsLookup,
  olderFilingsLookup,
} from './company.ts'
import {
  linksLookup,
  mainLookup,
  pdfLookup,
  sitemapLookup,
  summaryLookup,
  visibleLookup,
} from './document.ts'
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
import { searchLookup } from './search.ts'

export const lookups: readonly Lookup[] = [
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
  linksLookup,
  sitemapLookup,
  pdfLookup,
  summaryLookup,
  searchLookup,
  productLookup,
]
