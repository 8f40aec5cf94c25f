/** The arithmetic of pools: the mid price, and the amount that comes out until the price has fallen by 2 %. */
import { Decimal, toUnits, unit } from '../dollars.ts'
import type { ConcentratedPool, EvmPool, PairPool } from './pools.ts'

/** The share of the price that remains after the fall by which depth is measured. */
const leftAfterFall = 0.98
const rootLeft = new Decimal(leftAfterFall).sqrt()

const q96 = new Decimal(2).pow(96)
const q112 = new Decimal(2).pow(112)
const big = (atoms: bigint): Decimal => new Decimal(String(atoms))

export const toAtoms = (units: Decimal, decimals: number): bigint =>
  BigInt(units.mul(unit(decimals)).floor().toFixed(0))

/** Units of the quote token for one unit of the token, between buying and selling. */
export function midOf(pool: EvmPool, decimals: number): Decimal {
  if (pool.form === 'concentrated') return priceAt(pool, big(pool.sqrtPriceX96).div(q96).pow(2), decimals)
  const [x, y] = unitsIn(pool, decimals)
  return pool.kind === 'solidly_stable' ? stablePrice(x, y) : y.div(x)
}

export const averageOf = (pool: ConcentratedPool, decimals: number): Decimal | null =>
  pool.averageTick === null ? null : priceAt(pool, new Decimal('1.0001').pow(pool.averageTick), decimals)

/** `ratio`: atoms of token 1 for an atom of token 0. */
function priceAt({ tokenIsZero, quote }: ConcentratedPool, ratio: Decimal, decimals: number): Decimal {
  const atoms = tokenIsZero ? ratio : new Decimal(1).div(ratio)
  return atoms.mul(unit(decimals)).div(unit(quote.decimals))
}

/** The average price of a pair of Uniswap v2 between two blocks, from its sums. Undefined if it keeps none. */
export function meanOf(now: PairPool, nowMs: number, then: PairPool, thenMs: number, decimals: number) {
  const seconds = BigInt(Math.round((nowMs - thenMs) / 1000))
  const [last, first] = [summedAt(now, nowMs), summedAt(then, thenMs)]
  if (last === undefined || first === undefined || seconds <= 0n) return undefined
  const mean = big(BigInt.asUintN(256, last - first))
    .div(big(seconds))
    .div(q112)
  return mean.mul(unit(decimals)).div(unit(now.quote.decimals))
}

/** The sum in the pool ends at its last swap. From then on it grows by the price of its reserves. */
function summedAt({ summed, reserveToken, reserveQuote }: PairPool, ms: number): bigint | undefined {
  if (!summed) return undefined
  const rested = BigInt.asUintN(32, BigInt(Math.round(ms / 1000)) - summed.at)
  return summed.sum + ((reserveQuote << 112n) / reserveToken) * rested
}

const unitsIn = ({ reserveToken, reserveQuote, quote }: PairPool, decimals: number): [Decimal, Decimal] => [
  toUnits(reserveToken, decimals),
  toUnits(reserveQuote, quote.decimals),
]

/** In units of the quote token. */
export function pairDepth(pool: PairPool, decimals: number): Decimal {
  const [x, y] = unitsIn(pool, decimals)
  return pool.kind === 'solidly_stable' ? stableDepth(x, y) : y.mul(new Decimal(1).sub(rootLeft))
}

/** The slope of x³y + xy³ = k at (x, y). */
const stablePrice = (x: Decimal, y: Decimal): Decimal =>
  x
    .pow(2)
    .mul(y)
    .mul(3)
    .add(y.pow(3))
    .div(x.pow(3).add(x.mul(y.pow(2)).mul(3)))

/** There is no closed form, so it searches. Floats are enough: depth is printed to the cent. */
function stableDepth(x: Decimal, y: Decimal): Decimal {
  const scale = y
  const [start, quote] = [x.div(scale).toNumber(), 1]
  const k = start ** 3 * quote + start * quote ** 3
  const slope = (a: number, b: number) => (3 * a * a * b + b ** 3) / (a ** 3 + 3 * a * b * b)
  const wanted = slope(start, quote) * leftAfterFall
  let [low, high] = [0, quote]
  for (let i = 0; i < 80; i++) {
    const out = (low + high) / 2
    if (slope(solved(k, quote - out, start), quote - out) > wanted) low = out
    else high = out
  }
  return new Decimal(low).mul(scale)
}

/** Finds the a with a³b + ab³ = k, by Newton's method. */
function solved(k: number, b: number, from: number): number {
  let a = from
  for (let i = 0; i < 60; i++) a -= (a ** 3 * b + a * b ** 3 - k) / (3 * a * a * b + b ** 3)
  return a
}

/** The square root of the price where the fall by 2 % ends, in the pool's own form. */
export function fallLimit({ sqrtPriceX96, tokenIsZero }: ConcentratedPool): bigint {
  const root = big(sqrtPriceX96)
  const limit = tokenIsZero ? root.mul(rootLeft) : root.div(rootLeft)
  return BigInt(limit.floor().toFixed(0))
}

/** The amount that a pool of constant product pays out, in atoms, as its contract computes it. */
export function constantProductOut(pool: PairPool, side: 'buy' | 'sell', amountIn: bigint): bigint {
  const { reserveQuote, reserveToken, fee } = pool
  const [into, from] = side === 'buy' ? [reserveQuote, reserveToken] : [reserveToken, reserveQuote]
  const afterFee = amountIn * (1_000_000n - BigInt(fee))
  return (afterFee * from) / (into * 1_000_000n + afterFee)
}
