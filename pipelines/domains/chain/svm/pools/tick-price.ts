/** The price at a tick: each tick is a hundredth of a percent. Square roots of prices have 64 binary places. */
import { squareRoot } from './pool.ts'

export const sqrtBits = 64n
/** Both programs stop here. */
const lastTick = 443_636

const bits = 192n
const one = 1n << bits
/** The square root of 1.0001, and its 2nd, 4th, 8th ... power. */
const powers = [squareRoot((10_001n << (2n * bits)) / 10_000n)]
while (powers.length < 19) {
  const last = powers.at(-1) as bigint
  powers.push((last * last) >> bits)
}
const known = new Map<number, bigint>()

export function sqrtPriceAt(tick: number): bigint {
  const found = known.get(tick)
  if (found !== undefined) return found
  const distance = Math.min(Math.abs(tick), lastTick)
  let product = one
  for (const [i, power] of powers.entries()) if ((distance >> i) & 1) product = (product * power) >> bits
  if (tick < 0) product = (one << bits) / product
  const price = product >> (bits - sqrtBits)
  if (known.size > 100_000) known.clear()
  known.set(tick, price)
  return price
}
