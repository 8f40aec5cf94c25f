/** Every lookup, in one list. */
import { companyLookup, olderFilingsLookup } from './company.ts'
import { geocodeLookup } from './geocode.ts'
import { ipLookup } from './ip.ts'
import type { Lookup } from './lookup.ts'

export const lookups: readonly Lookup[] = [
  ipLookup,
  geocodeLookup,
  companyLookup,
  olderFilingsLookup,
] as readonly Lookup[]
