/** Pools whose liquidity changes at ticks: Whirlpool and CLMM. */

import { feeIn, groupOf, isAtMost, type MovingFee } from './moving-fee.ts'
import { ceilDiv, million, type Ratio, type Reached, type Side, type SvmPool, squareRoot } from './pool.ts'
import { sqrtBits, sqrtPriceAt } from './tick-price.ts'

interface Ticks {
  sqrtPrice: bigint
  tick: number
  liquidity: bigint
  feePpm: number
  /** Absent if the fee is fixed. */
  moving?: MovingFee
  /** The input side whose fee is taken from the output. */
  feeOnOut?: Side
  /** The changes of liquidity, in order, within the part that was read. */
  changes: readonly TickChange[]
  /** The first tick of the part that was read, and the first tick after it. */
  readFrom: number
  readTo: number
}

export interface TickChange {
  tick: number
  /** The liquidity that is added when the price rises above the tick. */
  net: bigint
}

export function tickPool(names: Pick<SvmPool, 'kind' | 'address' | 'mints'>, ticks: Ticks): SvmPool {
  const { sqrtPrice, tick, feePpm, moving } = ticks
  return {
    ...names,
    feePpm: moving ? Number(feeIn(moving, groupOf(tick, moving.size))) : feePpm,
    price: { over: sqrtPrice * sqrtPrice, under: 1n << (2n * sqrtBits) },
    swap(into, amount) {
      const { left, out } = walk(ticks, into, amount)
      return { used: amount - left, out }
    },
    reach: (into, dearer) => reach(ticks, into, dearer),
  }
}

function reach(ticks: Ticks, into: Side, { over, under }: Ratio): Reached {
  const square = ticks.sqrtPrice * ticks.sqrtPrice
  const limit = squareRoot(into === 1 ? (square * over) / under : (square * under) / over)
  const { moving: _, ...rest } = ticks
  const { taken, out, cut } = walk({ ...rest, feePpm: 0 }, into, undefined, limit)
  return { input: taken, out, cut }
}

interface Walked {
  /** The input without the fee. */
  taken: bigint
  left: bigint
  out: bigint
  cut: boolean
}

/** Goes from tick to tick until the amount is used, the price reaches the limit, or the part that was read ends. */
function walk(ticks: Ticks, into: Side, amount: bigint | undefined, limit?: bigint): Walked {
  const { changes, feePpm, feeOnOut, moving } = ticks
  const rises = into === 1
  const ofOut = feeOnOut === into
  const end = sqrtPriceAt(rises ? ticks.readTo : ticks.readFrom)
  let { sqrtPrice: price, liquidity } = ticks
  let group = moving ? groupOf(ticks.tick, moving.size) : 0
  let [left, taken, out] = [amount ?? 0n, 0n, 0n]
  let at = rises ? changes.findIndex(({ tick }) => tick > ticks.tick) : lastUpTo(changes, ticks.tick)
  if (at < 0) at = rises ? changes.length : -1
  while (amount === undefined || left > 0n) {
    const change = changes[at]
    const next = change ? sqrtPriceAt(change.tick) : end
    const fee = moving ? feeIn(moving, group) : BigInt(feePpm)
    // A fee that no longer grows, or that nobody pays, needs no steps from group to group.
    const grows = moving && liquidity > 0n && !isAtMost(moving, group)
    const groupEnd = grows ? sqrtPriceAt((rises ? group + 1 : group) * moving.size) : undefined
    const stop = nearest(rises, next, limit, groupEnd)
    const net = amount === undefined ? undefined : ofOut ? left : (left * (million - fee)) / million
    const full = given(price, stop, liquidity, rises)
    if (net !== undefined && net < full) {
      const reached = priceAfter(price, liquidity, net, rises)
      const gross = got(price, reached, liquidity, rises)
      return { taken: taken + net, left: 0n, out: out + gross - feeOf(gross, fee, ofOut), cut: false }
    }
    const gross = got(price, stop, liquidity, rises)
    out += gross - feeOf(gross, fee, ofOut)
    taken += full
    if (amount !== undefined) left -= full + (ofOut ? 0n : ceilDiv(full * fee, million - fee))
    price = stop
    if (limit !== undefined && stop === limit) return { taken, left, out, cut: false }
    if (stop === groupEnd) group += rises ? 1 : -1
    if (stop !== next) continue
    if (!change) return { taken, left, out, cut: true }
    liquidity += rises ? change.net : -change.net
    if (moving && !grows) group = groupOf(change.tick, moving.size) - (rises ? 0 : 1)
    at += rises ? 1 : -1
  }
  return { taken, left: 0n, out, cut: false }
}

const feeOf = (gross: bigint, fee: bigint, ofOut: boolean): bigint =>
  ofOut ? ceilDiv(gross * fee, million) : 0n

function lastUpTo(changes: readonly TickChange[], tick: number): number {
  const above = changes.findIndex(change => change.tick > tick)
  return above < 0 ? changes.length - 1 : above - 1
}

/** The price that the swap reaches first. */
const nearest = (rises: boolean, ...prices: (bigint | undefined)[]): bigint =>
  prices
    .filter(price => price !== undefined)
    .reduce((first, price) => (price < first === rises ? price : first))

const distance = (a: bigint, b: bigint) => (a < b ? b - a : a - b)

/** The amount that the pool takes between two prices, rounded up. */
const given = (from: bigint, to: bigint, liquidity: bigint, rises: boolean): bigint =>
  rises
    ? ceilDiv(liquidity * distance(from, to), 1n << sqrtBits)
    : ceilDiv((liquidity << sqrtBits) * distance(from, to), from * to)

/** The amount that the pool gives between two prices, rounded down. */
const got = (from: bigint, to: bigint, liquidity: bigint, rises: boolean): bigint =>
  rises
    ? ((liquidity << sqrtBits) * distance(from, to)) / (from * to)
    : (liquidity * distance(from, to)) >> sqrtBits

/** The price after this much input, rounded in favour of the pool. */
function priceAfter(price: bigint, liquidity: bigint, net: bigint, rises: boolean): bigint {
  if (rises) return price + (net << sqrtBits) / liquidity
  const scaled = liquidity << sqrtBits
  return ceilDiv(scaled * price, scaled + net * price)
}
