/** Every lookup, in one list. */
import { companyLookup, olderFilingsLookup } from './company.ts'
import { forecastLookup, placeLookup } from './forecast.ts'
import { geocodeLookup } from './geocode.ts'
import { ipLookup } from './ip.ts'
import { listingLookup } from './listing.ts'
import type { Lookup } from './lookup.ts'

export const lookups: readonly Lookup[] = [
  ipLookup,
  geocodeLookup,
  placeLookup,
  forecastLookup,
  companyLookup,
  olderFilingsLookup,
  listingLookup,
] as readonly Lookup[]
