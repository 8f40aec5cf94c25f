/** Every lookup, in one list. */
import type { Ask } from '../requests.ts'
import { companyLookup, olderFilingsLookup } from './company.ts'
import { forecastLookup, placeLookup } from './forecast.ts'
import { geocodeLookup, groundLookup } from './geocode.ts'
import { ipLookup } from './ip.ts'
import { listingLookup } from './listing.ts'
import type { Lookup } from './lookup.ts'

/** What lookups need beside the outside. Each lookup sees only the part that it declares. */
export interface LookupNeeds {
  dataDir: string
  ipDatabase?: string | undefined
  ask: Ask
}

export const lookups: readonly Lookup<unknown, unknown, LookupNeeds>[] = [
  ipLookup,
  geocodeLookup,
  groundLookup,
  placeLookup,
  forecastLookup,
  companyLookup,
  olderFilingsLookup,
  listingLookup,
]
