/** A pool of two tokens, as it was at one slot. Its kinds differ only in their arithmetic. Amounts are atoms. */
import type { PoolKind } from '../../reader.ts'

/** The first or the second mint of a pool, in the pool's own order. */
export type Side = 0 | 1

export interface Ratio {
  over: bigint
  under: bigint
}

export interface Swapped {
  /**
   * The part of the input that was used, with its fee. It is smaller than the input if the part of the pool that was
   * read cannot take all of it.
   */
  used: bigint
  out: bigint
}

export interface Reached {
  /** Without the fee. */
  input: bigint
  out: bigint
  /** The part of the pool that was read ends before this price, so both amounts are lower bounds. */
  cut: boolean
}

export interface SvmPool {
  kind: PoolKind
  address: string
  mints: readonly [string, string]
  /** The pool's fee on a small input, in millionths. */
  feePpm: number
  /** One atom of the first mint in atoms of the second. */
  price: Ratio
  swap(into: Side, amount: bigint): Swapped
  /** Gives one side until the other costs `dearer` times as much. */
  reach(into: Side, dearer: Ratio): Reached
}

export const other = (side: Side): Side => (side === 0 ? 1 : 0)

export const million = 1_000_000n

export const ceilDiv = (over: bigint, under: bigint): bigint => (over + under - 1n) / under

/** The largest whole number whose square is not above the value. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
