/** A pool of two tokens, as it was at one slot. Its kinds differ in their arithmetic only. Amounts are atoms. */
import type { PoolKind } from '../../reader.ts'

/** The first or the second mint of a pool, in the pool's own order. */
export type Side = 0 | 1

export interface Ratio {
  over: bigint
  under: bigint
}

export interface Swapped {
  /** What was taken of the input, its fee included. Less than was given: more than what was read of the pool takes. */
  used: bigint
  out: bigint
}

export interface Reached {
  /** Without the fee. */
  input: bigint
  out: bigint
  /** What was read of the pool ends before the price, so both amounts are lower bounds. */
  cut: boolean
}

export interface SvmPool {
  kind: PoolKind
  address: string
  mints: readonly [string, string]
  /** What the pool keeps of a small input, in millionths. */
  feePpm: number
  /** One atom of the first mint in atoms of the second. */
  price: Ratio
  swap(into: Side, amount: bigint): Swapped
  /** Gives one side until the other has become `dearer` times as dear. */
  reach(into: Side, dearer: Ratio): Reached
}

export const other = (side: Side): Side => (side === 0 ? 1 : 0)

export const million = 1_000_000n

export const ceilDiv = (over: bigint, under: bigint): bigint => (over + under - 1n) / under

/** The greatest whole number whose square is not above the value. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
