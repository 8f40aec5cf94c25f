/** What we pay for gas: at first, and to have a transaction replaced. */
import type { Fee } from './sender.ts'

const weiOfGwei = 1e9
export const weiIn = (gwei: number): bigint => BigInt(Math.round(gwei * weiOfGwei))

/** Nodes replace a transaction by one that pays at least a tenth more. */
export const raised = (fee: bigint): bigint => (fee * 5n) / 4n + 1n

export const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export const firstFeeOf = ({ base, tip }: { base: bigint; tip: bigint }, mostFee: bigint): Fee => ({
  most: lower(2n * base + tip, mostFee),
  tip,
})
