/** Prices a token from its deepest pool, and that pool against the others. Everything is read at one slot. */
import { Decimal as Plain } from 'decimal.js'
import { Kept } from '../kept.ts'
import { type Pool as ShownPool, thinBelowUsd, type Warning } from '../reader.ts'
import { knownSymbol } from './known-tokens.ts'
import type { SvmNodes } from './nodes.ts'
import { type Finding, type Found, findPools, type Wanted } from './pools/finding.ts'
import type { Pool, Ratio, Side } from './pools/pool.ts'
import { type Reading, type ReadPool, readPools } from './pools/reading.ts'
import { settingsOf } from './pools/settings.ts'
import type { Settings } from './pools/venue.ts'
import { solDecimals, usdcMint, usdtMint, wrappedSol } from './programs.ts'

const Decimal = Plain.clone({ precision: 60 })
type Decimal = Plain

export interface PricedPool {
  read: ReadPool
  /** The place of the token in the pool. */
  side: Side
  quoteDecimals: number
  /** Dollars for one unit of the token, and for one of the quote token. */
  priceUsd: Decimal
  quoteUsd: Decimal
  depthUsd: Decimal
}

/** One dollar each. */
const dollars = [usdcMint, usdtMint]
const quoteDecimals: Readonly<Record<string, number>> = {
  [usdcMint]: 6,
  [usdtMint]: 6,
  [wrappedSol]: solDecimals,
}
const quotes = [...dollars, wrappedSol]
const quotesOf = (token: string) => (token === wrappedSol ? dollars : quotes)

const settingsMs = 3_600_000
const poolsMs = 300_000
/** The first pool of a new token may open at any moment. */
const noPoolsMs = 5000
const mostKept = 5000
/** Two pools that price SOL are read beside those of a token. */
const solPools = 2

export interface Pricing {
  /** The pools of a token, and in the same reading whatever else is asked for. */
  read(token: string, beside: readonly string[]): Promise<Reading & Pick<Finding, 'isPartial'>>
  /** The largest pools of several tokens, a few tokens in each reading. */
  readMany(tokens: readonly string[]): Promise<ReadonlyMap<string, Reading>>
  /** The deepest pool comes first. */
  priced(token: string, decimals: number, reading: Pick<Reading, 'pools'>): PricedPool[]
}

export function openPricing(nodes: SvmNodes): Pricing {
  const kept = new Kept(nodes.now, mostKept)
  const inMs = (ms: number) => () => nodes.now() + ms
  const settings = (): Promise<Settings> => kept.ask('settings', () => settingsOf(nodes), inMs(settingsMs))
  const wantedOf = (token: string, everywhere: boolean): Wanted => ({
    token,
    quotes: quotesOf(token),
    everywhere,
    listed: everywhere && !quotes.includes(token),
  })
  /** They change seldom. */
  const find = (token: string): Promise<Finding> =>
    kept.ask(
      `pools ${token}`,
      async () => {
        const [found] = await findPools(nodes, await settings(), [wantedOf(token, true)])
        return found as Finding
      },
      ({ pools }) => nodes.now() + (pools.length ? poolsMs : noPoolsMs),
    )
  const findMany = (tokens: readonly string[]): Promise<Finding[]> =>
    kept.ask(
      `pools of many ${tokens.join()}`,
      async () =>
        findPools(
          nodes,
          await settings(),
          tokens.map(token => wantedOf(token, false)),
        ),
      inMs(poolsMs),
    )
  /** For the order of pools only. The price itself is made of one reading. */
  let solUsd = new Decimal(0)
  const worth = ({ quote, quoteHeld }: Found) =>
    new Decimal(String(quoteHeld))
      .div(unit(quoteDecimals[quote] ?? 0))
      .mul(dollars.includes(quote) ? 1 : solUsd)
  const bySize = (pools: readonly Found[]) => [...pools].sort((a, b) => worth(b).cmp(worth(a)))

  async function solPricing(token: string): Promise<Found[]> {
    if (token === wrappedSol) return []
    const { pools } = await find(wrappedSol)
    const first = pools.slice(0, solPools)
    if (solUsd.isZero() && first.length) solUsd = solPrice(await readPools(nodes, first, [])) ?? solUsd
    return first
  }

  return {
    async read(token, beside) {
      const ofSol = await solPricing(token)
      const { pools, isPartial } = await find(token)
      const reading = await readPools(nodes, [...ofSol, ...bySize(pools)], beside)
      solUsd = solPrice(reading) ?? solUsd
      return { ...reading, isPartial }
    },
    async readMany(tokens) {
      const ofSol = (await solPricing('')).slice(0, 1)
      const found = await findMany(tokens)
      const largest = found.map(({ pools }) => bySize(pools)[0])
      const readings = new Map<string, Reading>()
      for (let i = 0; i < tokens.length; i += atOnce) {
        const part = largest.slice(i, i + atOnce).filter(one => one !== undefined)
        const reading = await readPools(nodes, [...ofSol, ...part], [])
        for (const token of tokens.slice(i, i + atOnce)) readings.set(token, reading)
      }
      return readings
    },
    priced,
  }
}

/** Each of the largest pools takes up to 13 accounts of a call. */
const atOnce = 6

export const unit = (decimals: number): Decimal => new Decimal(10).pow(decimals)
export const toUnits = (atoms: bigint, decimals: number): Decimal =>
  new Decimal(String(atoms)).div(unit(decimals))

function solPrice(reading: Reading): Decimal | undefined {
  return pricedBy(dollars, wrappedSol, solDecimals, reading, new Decimal(1))[0]?.priceUsd
}

function priced(token: string, decimals: number, reading: Reading): PricedPool[] {
  const inDollars = pricedBy(dollars, token, decimals, reading, new Decimal(1))
  // A dollar's price in SOL says nothing of it, because dollars price SOL. It only stands in for a missing pool.
  if (dollars.includes(token) && inDollars.length) return inDollars.sort(deepestFirst)
  const solUsd = token === wrappedSol ? undefined : solPrice(reading)
  const inSol = solUsd ? pricedBy([wrappedSol], token, decimals, reading, solUsd) : []
  return [...inDollars, ...inSol].sort(deepestFirst)
}

const deepestFirst = (a: PricedPool, b: PricedPool): number => b.depthUsd.cmp(a.depthUsd)

/** Depth is what the pool pays out while its price falls by 2 %. Without any, the pool has no price. */
const fall: Ratio = { over: 100n, under: 98n }

function pricedBy(
  quotes: readonly string[],
  token: string,
  decimals: number,
  { pools }: Reading,
  quoteUsd: Decimal,
): PricedPool[] {
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

/** Units of the quote token for one of the token. */
export function midOf(
  { price: { over, under } }: Pool,
  side: Side,
  decimals: number,
  places: number,
): Decimal {
  const [quote, token] = side === 0 ? [over, under] : [under, over]
  return new Decimal(String(quote)).div(String(token)).mul(unit(decimals)).div(unit(places))
}

const priceDigits = 12
export const usdText = (price: Decimal): string => price.toSignificantDigits(priceDigits).toFixed()
export const centsText = (usd: Decimal): string => usd.toDecimalPlaces(2).toFixed()

export const shownPool = ({ read: { pool, quote } }: PricedPool): ShownPool => ({
  address: pool.address,
  kind: pool.kind,
  fee: new Decimal(pool.feePpm).div(10_000).toFixed(),
  quote: knownSymbol(quote) ?? quote,
})

export const shownPrice = (one: PricedPool) => ({
  price_usd: usdText(one.priceUsd),
  pool: shownPool(one),
  depth_usd: centsText(one.depthUsd),
  thin_liquidity: one.depthUsd.lt(thinBelowUsd),
})

const mostApart = 0.05
/** A shallower second pool says little about the price. */
const secondsWord = 0.1

export function priceWarnings([deepest, second]: readonly PricedPool[], isPartial: boolean): Warning[] {
  const found: Warning[] = []
  if (isPartial)
    found.push({
      code: 'pools_left_out',
      severity: 'info',
      evidence:
        'the node does not list accounts of a program, so pools of Raydium AMM v4 are not among those seen',
    })
  if (!deepest) return found
  const { read, depthUsd, priceUsd } = deepest
  if (depthUsd.lt(thinBelowUsd))
    found.push({
      code: 'thin',
      severity: 'caution',
      evidence: `$${centsText(depthUsd)} move the price by 2 % in ${read.pool.address}`,
    })
  const rival = second?.depthUsd.gte(depthUsd.mul(secondsWord)) ? second : undefined
  const apart = rival?.priceUsd.div(priceUsd).sub(1)
  if (rival && apart?.abs().gt(mostApart))
    found.push({
      code: 'price_disagrees',
      severity: 'caution',
      evidence: `the price in ${rival.read.pool.address} is $${usdText(rival.priceUsd)}, ${apart.mul(100).toDecimalPlaces(1).toFixed()} % from the price`,
    })
  return found
}
