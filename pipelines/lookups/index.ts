/** Every lookup, in one list. */
import { ipLookup } from './ip.ts'
import type { Lookup } from './lookup.ts'

export const lookups: readonly Lookup[] = [ipLookup] as readonly Lookup[]
