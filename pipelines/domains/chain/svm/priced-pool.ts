/** The value of a token by its pools, and the amount that they can take. */
import { Decimal, type PoolPrice, quoteWorth, steadyFirst, toUnits, unit } from '../dollars.ts'
import type { Ratio, Side, SvmPool } from './pools/pool.ts'
import type { PoolReading, ReadPool } from './pools/reader.ts'
import { solDecimals, usdcMint, usdtMint, wrappedSol } from './programs.ts'

export interface SvmPricedPool extends PoolPrice {
  read: ReadPool
  /** The token's place in the pool. */
  side: Side
  quoteDecimals: number
  /** Dollars for one unit of the quote token. */
  quoteUsd: Decimal
}

/** One dollar each. */
export const dollars = [usdcMint, usdtMint]
export const quoteDecimals: Readonly<Record<string, number>> = {
  [usdcMint]: 6,
  [usdtMint]: 6,
  [wrappedSol]: solDecimals,
}
export const quotes = [...dollars, wrappedSol]
export const quotesOf = (token: string) => (token === wrappedSol ? dollars : quotes)

export const solPrice = (reading: PoolReading): Decimal | undefined => solWorth(reading)?.priceUsd

/** From the deeper of its two largest dollar pools. If they disagree, every price in SOL says so. */
const solWorth = (reading: PoolReading): SvmPricedPool | undefined =>
  quoteWorth(
    pricedBy(dollars, wrappedSol, solDecimals, reading, dollar).sort(deepestFirst),
    ({ read }) => read.pool.address,
  )

const dollar: PoolPrice = { priceUsd: new Decimal(1), depthUsd: new Decimal(Number.POSITIVE_INFINITY) }

/** The deepest pool comes first. */
export function priced(token: string, decimals: number, reading: PoolReading): SvmPricedPool[] {
  const inDollars = pricedBy(dollars, token, decimals, reading, dollar)
  // The price of a dollar in SOL has no information, because dollars price SOL. It only replaces a missing pool.
  if (dollars.includes(token) && inDollars.length) return inDollars.sort(deepestFirst)
  const sol = token === wrappedSol ? undefined : solWorth(reading)
  const inSol = sol ? pricedBy([wrappedSol], token, decimals, reading, sol) : []
  return steadyFirst([...inDollars, ...inSol])
}

const deepestFirst = (a: SvmPricedPool, b: SvmPricedPool): number => b.depthUsd.cmp(a.depthUsd)

/** Depth is what the pool pays out while its price falls by 2 %. A pool without depth has no price. */
const fall: Ratio = { over: 100n, under: 98n }

function pricedBy(
  quotes: readonly string[],
  token: string,
  decimals: number,
  { pools }: PoolReading,
  worth: PoolPrice,
): SvmPricedPool[] {
  const quoteUsd = worth.priceUsd
  return pools
    .filter(({ pool, quote }) => quotes.includes(quote) && quote !== token && pool.mints.includes(token))
    .flatMap(read => {
      const side: Side = read.pool.mints[0] === token ? 0 : 1
      const places = quoteDecimals[read.quote] as number
      const depth = read.pool.reach(side, fall).out
      if (depth <= 0n) return []
      const mid = midOf(read.pool, side, decimals, places)
      return {
        read,
        side,
        quoteDecimals: places,
        quoteUsd,
        priceUsd: mid.mul(quoteUsd),
        depthUsd: toUnits(depth, places).mul(quoteUsd),
        skews: (worth.skews ?? []).map(skew => ({ ...skew, quote: 'SOL' })),
        beforeUsd: mid.mul(worth.beforeUsd ?? quoteUsd),
      }
    })
}

/** Units of the quote token for one unit of the token. */
export function midOf(
  { price: { over, under } }: SvmPool,
  side: Side,
  decimals: number,
  places: number,
): Decimal {
  const [quote, token] = side === 0 ? [over, under] : [under, over]
  return new Decimal(String(quote)).div(String(token)).mul(unit(decimals)).div(unit(places))
}
