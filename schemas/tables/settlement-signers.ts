/**
 * The addresses from which facilitators settle x402 payments, by network, as they and their indexers published them up
 * to mid 2026. The list is never complete: facilitators add keys within weeks, so an address that is missing here may
 * still be a facilitator's.
 */
import type { NetworkName } from './networks.ts'
import published from './settlement-signers.json' with { type: 'json' }

export const settlementSigners: Readonly<
  Record<string, Readonly<Partial<Record<NetworkName, readonly string[]>>>>
> = published
