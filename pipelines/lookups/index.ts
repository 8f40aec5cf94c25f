/** Every lookup, in one list. */
import type { Lookup } from './lookup.ts'

export const lookups: readonly Lookup[] = []
