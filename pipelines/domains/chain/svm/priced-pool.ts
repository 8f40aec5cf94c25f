/** The value of a token by its pools, and the amount that they can take. */
import { Decimal, type PoolPrice, toUnits, unit } from '../dollars.ts'
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

export function solPrice(reading: PoolReading): Decimal | undefined {
  return pricedBy(dollars, wrappedSol, solDecimals, reading, new Decimal(1))[0]?.priceUsd
}

/** The deepest pool comes first. */
export function priced(token: string, decimals: number, reading: PoolReading): SvmPricedPool[] {
  const inDollars = pricedBy(dollars, token, decimals, reading, new Decimal(1))
  // The price of a dollar in SOL has no information, because dollars price SOL. It only replaces a missing pool.
  if (dollars.includes(token) && inDollars.length) return inDollars.sort(deepestFirst)
  const solUsd = token === wrappedSol ? undefined : solPrice(reading)
  const inSol = solUsd ? pricedBy([wrappedSol], token, decimals, reading, solUsd) : []
  return [...inDollars, ...inSol].sort(deepestFirst)
}

const deepestFirst = (a: SvmPricedPool, b: SvmPricedPool): number => b.depthUsd.cmp(a.depthUsd)

/** Depth is what the pool pays out while its price falls by 2 %. A pool without depth has no price. */
const fall: Ratio = { over: 100n, under: 98n }

function pricedBy(
  quotes: readonly string[],
  token: string,
  decimals: number,
  { pools }: PoolReading,
  quoteUsd: Decimal,
): SvmPricedPool[] {
  return pools
    .filter(({ pool, quote }) => quotes.includes(quote) && quote !== token && pool.mints.includes(token))
    .flatMap(read => {
      const side: Side = read.pool.mints[0] === token ? 0 : 1
      const places = quoteDecimals[read.quote] as number
      const depth = read.pool.reach(side, fall).out
      if (depth <= 0n) return []
      return {
        read,
        side,
        quoteDecimals: places,
        quoteUsd,
        priceUsd: midOf(read.pool, side, decimals, places).mul(quoteUsd),
        depthUsd: toUnits(depth, places).mul(quoteUsd),
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
