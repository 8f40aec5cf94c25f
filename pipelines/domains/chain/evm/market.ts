/** A file in `chains/` declares of its chain where tokens trade, and against which tokens. */
import type { Address } from 'viem'
import type { ContractCall } from './call.ts'

export interface EvmMarket {
  /** The wrapped native coin. */
  wrapped: Address
  /** A contract that knows the chain's own height, for a chain whose `block.number` is that of another chain. */
  height?: ContractCall
  /** A pool has a price only against one of these. */
  quotes: readonly QuoteToken[]
  factories: readonly Factory[]
}

export interface QuoteToken {
  address: Address
  symbol: string
  decimals: number
  /** The token counts as one dollar. */
  dollar: boolean
}

/**
 * Fees are in millionths: 3000 is 0.3 %. `router`: the contract that takes the tokens of those who sell in its pools. Of
 * Uniswap v4 that is Permit2, in the name of its routers.
 */
export type Factory = { router: Address } & (
  | { kind: 'uniswap_v2'; address: Address; fee: number }
  | { kind: 'uniswap_v3'; address: Address; fees: readonly number[] }
  | { kind: 'solidly'; address: Address }
  | { kind: 'slipstream'; address: Address; spacings: readonly number[] }
  /** The pool manager. Pools with hooks are skipped, because a hook may change any swap. */
  | { kind: 'uniswap_v4'; address: Address; tiers: readonly { fee: number; spacing: number }[] }
)

export const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
export const v2Fee = 3000
export const v3Fees = [100, 500, 3000, 10_000] as const
export const v4Tiers = [
  { fee: 100, spacing: 1 },
  { fee: 500, spacing: 10 },
  { fee: 3000, spacing: 60 },
  { fee: 10_000, spacing: 200 },
] as const
export const slipstreamSpacings = [1, 50, 100, 200, 2000] as const

export const dollar = (symbol: string, address: Address, decimals = 6): QuoteToken => ({
  address,
  symbol,
  decimals,
  dollar: true,
})
export const coin = (symbol: string, address: Address, decimals = 18): QuoteToken => ({
  address,
  symbol,
  decimals,
  dollar: false,
})
