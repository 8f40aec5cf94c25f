/** The price at a tick: each tick is a hundredth of a percent. Square roots of prices have 64 binary places. */
import { Bounded } from '../../../../rails/bounded.ts'
import { squareRoot } from './pool.ts'

export const sqrtBits = 64n
/** The last tick of both programs. */
const lastTick = 443_636

const bits = 192n
const one = 1n << bits
/** The square root of 1.0001, and its 2nd, 4th, 8th ... power. */
const powers = [squareRoot((10_001n << (2n * bits)) / 10_000n)]
while (powers.length < 19) {
  const last = powers.at(-1) as bigint
  powers.push((last * last) >> bits)
}
const known = new Bounded<bigint>({ most: 100_000 })

export function sqrtPriceAt(tick: number): bigint {
  const name = String(tick)
  const found = known.peek(name)
  if (found !== undefined) return found
  const distance = Math.min(Math.abs(tick), lastTick)
  let product = one
  for (const [i, power] of powers.entries()) if ((distance >> i) & 1) product = (product * power) >> bits
  if (tick < 0) product = (one << bits) / product
  const price = product >> (bits - sqrtBits)
  known.set(name, price)
  return price
}
