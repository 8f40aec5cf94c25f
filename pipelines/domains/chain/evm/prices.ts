/**
 * Prices tokens from their deepest pools, in three looks at one block: find the pools, read them, measure their depth.
 * Beside the third it compares them with their past.
 */
import type { Address } from 'viem'
import { Decimal, type PoolPrice, quoteWorth, type Skew, steadyFirst, toUnits, unit } from '../dollars.ts'
import { markets } from './chains/index.ts'
import { averageOf, midOf, pairDepth } from './curves.ts'
import { type EvmBlock, look } from './look.ts'
import type { QuoteToken } from './market.ts'
import type { EvmNodes } from './nodes.ts'
import { type Moves, movesOf } from './past.ts'
import { each, type Plan, together } from './plan.ts'
import { readPools } from './pool-states.ts'
import { type ConcentratedPool, type EvmPool, type FoundPool, findPools } from './pools.ts'
import { concentratedDepths } from './swaps.ts'
import { decimalsOf, shownAddress, tokenCall } from './token.ts'

export interface EvmPricedPool extends PoolPrice {
  pool: EvmPool
  /** Dollars for one unit of the quote token. */
  quoteUsd: Decimal
  /** Dollars for the smallest piece of the token. */
  pieceUsd: Decimal
  averageUsd: Decimal | null
}

export interface Prices<Extra> {
  block: EvmBlock
  source: string
  extra: Extra
  /** By the token's address in lower case. The deepest pool comes first. A token without decimals has no entry. */
  of: ReadonlyMap<string, readonly EvmPricedPool[]>
  coins: Coins
}

export interface Coins {
  /** The dollar pools of the other quote tokens, by their symbols. */
  toDollars: ReadonlyMap<string, EvmPricedPool>
  /** The dollar pool of the wrapped native coin. Undefined if it has none. */
  native: EvmPricedPool | undefined
}

/** `extra` is read in the first look, so that it costs no call of its own. */
export async function pricesOf<Extra>(
  nodes: EvmNodes,
  tokens: readonly Address[],
  extra: Plan<Extra>,
  at?: EvmBlock,
): Promise<Prices<Extra>> {
  const market = markets[nodes.chain]
  const dollars = market.quotes.filter(({ dollar }) => dollar)
  const coins = market.quotes.filter(({ dollar }) => !dollar)
  const plan = together({
    extra,
    decimals: each(tokens.map(decimalsPlan)),
    found: each(tokens.map(token => findPools(token, market, market.quotes))),
    ofCoins: coinPools(nodes, coins, dollars),
  })
  const first = await look(nodes, plan.calls, at)
  const { decimals, found, ofCoins, ...rest } = plan.read(first.returned)
  const { block, source } = first
  const reading = readPools(distinct([...found.flat(), ...ofCoins]))
  const pools = reading.calls.length ? reading.read((await look(nodes, reading.calls, block)).returned) : []
  const placesIn = new Map([
    ...coins.map(({ address, decimals: places }) => [address.toLowerCase(), places] as const),
    ...tokens.map((token, i) => [token.toLowerCase(), decimals[i] ?? undefined] as const),
  ])
  const placesOf = ({ token }: EvmPool) => placesIn.get(token.toLowerCase())
  const [depths, moves] = await Promise.all([
    depthsOf(nodes, pools, block),
    movesOf(nodes, pools, placesOf, block),
  ])

  const priced = (token: Address, places: number, worth: (quote: QuoteToken) => Worth | undefined) =>
    steadyFirst(
      pools
        .filter(pool => same(pool.token, token))
        .flatMap(pool => pricedPool(pool, places, worth(pool.quote), depths, moves) ?? []),
    )
  const toDollars = new Map(
    coins.flatMap(({ symbol, address, decimals: places }) => {
      const deepest = quoteWorth(priced(address, places, oneDollar), ({ pool }) => shownAddress(pool.address))
      return deepest ? [[symbol, deepest] as const] : []
    }),
  )
  const worth = (quote: QuoteToken) => oneDollar(quote) ?? toDollars.get(quote.symbol)
  const wrapped = coins.find(({ address }) => same(address, market.wrapped))
  return {
    block,
    source,
    extra: rest.extra as Extra,
    of: new Map(
      tokens.flatMap((token, i) => {
        const places = decimals[i]
        return typeof places === 'number'
          ? [[token.toLowerCase(), priced(token, places, worth)] as const]
          : []
      }),
    ),
    coins: { toDollars, native: wrapped && toDollars.get(wrapped.symbol) },
  }
}

/** What a quote token is worth, and what is odd about that. */
type Worth = PoolPrice

const dollar: Worth = { priceUsd: new Decimal(1), depthUsd: new Decimal(Number.POSITIVE_INFINITY) }
const oneDollar = (quote: QuoteToken): Worth | undefined => (quote.dollar ? dollar : undefined)

/** Every price needs the dollar pools of the coins, and they rarely change. */
const coinPoolsMs = 600_000
const known = new WeakMap<object, { pools: readonly FoundPool[]; until: number }>()

/** After nodes have disagreed, nobody knows whether the pools were true. */
export const forgetCoinPools = ({ key }: EvmNodes): boolean => known.delete(key)

function coinPools(
  nodes: EvmNodes,
  coins: readonly QuoteToken[],
  dollars: readonly QuoteToken[],
): Plan<readonly FoundPool[]> {
  const kept = known.get(nodes.key)
  if (kept && nodes.now() < kept.until) return { calls: [], read: () => kept.pools }
  const finding = each(coins.map(coin => findPools(coin.address, markets[nodes.chain], dollars)))
  return {
    calls: finding.calls,
    read(returned) {
      const pools = finding.read(returned).flat()
      if (pools.length) known.set(nodes.key, { pools, until: nodes.now() + coinPoolsMs })
      return pools
    },
  }
}

const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase()

const decimalsPlan = (token: Address): Plan<number | null> => ({
  calls: [tokenCall(token, 'decimals')],
  read: ([returned]) => decimalsOf(returned),
})

/** A pool of two quote tokens is found from both sides, and each side is a price of its own. */
const distinct = (pools: readonly FoundPool[]): FoundPool[] => [
  ...new Map(pools.map(pool => [`${pool.address} ${pool.token.toLowerCase()}`, pool])).values(),
]

/** In atoms of the quote token, for pools of concentrated liquidity. */
async function depthsOf(
  nodes: EvmNodes,
  pools: readonly EvmPool[],
  block: EvmBlock,
): Promise<Map<EvmPool, bigint>> {
  const asked = pools.filter((pool): pool is ConcentratedPool => pool.form === 'concentrated')
  if (!asked.length) return new Map()
  const depths = await concentratedDepths(nodes, asked, block)
  return new Map(asked.map((pool, i) => [pool, depths[i] ?? 0n]))
}

function pricedPool(
  pool: EvmPool,
  decimals: number,
  quote: Worth | undefined,
  depths: ReadonlyMap<EvmPool, bigint>,
  moves: Moves,
): EvmPricedPool | undefined {
  if (!quote) return undefined
  const quoteUsd = quote.priceUsd
  const depth =
    pool.form === 'pair' ? pairDepth(pool, decimals) : toUnits(depths.get(pool) ?? 0n, pool.quote.decimals)
  if (depth.lte(0)) return undefined
  const average = pool.form === 'concentrated' ? averageOf(pool, decimals) : null
  const mid = midOf(pool, decimals)
  const priceUsd = mid.mul(quoteUsd)
  const depthUsd = depth.mul(quoteUsd)
  const move = moves.of.get(pool)
  const beforeUsd = (move?.mid ?? mid).mul(quote.beforeUsd ?? quoteUsd)
  const own: Skew[] = move
    ? [
        {
          address: shownAddress(pool.address),
          quote: null,
          when: move.when,
          priceUsd,
          beforeUsd: move.mid.mul(quoteUsd),
          depthUsd,
          depthBeforeUsd: move.depth?.mul(quoteUsd),
        },
      ]
    : []
  const ofQuote = (quote.skews ?? []).map(skew => ({ ...skew, quote: pool.quote.symbol }))
  return {
    pool,
    quoteUsd,
    priceUsd,
    pieceUsd: priceUsd.div(unit(decimals)),
    depthUsd,
    averageUsd: average?.mul(quoteUsd) ?? null,
    skews: [...own, ...ofQuote],
    beforeUsd,
    noPast: noPastOf(pool, quote, moves),
  }
}

function noPastOf(pool: EvmPool, quote: Worth, { isUnknown, young }: Moves): PoolPrice['noPast'] {
  if (isUnknown) return 'forgotten'
  if (young.has(pool)) return 'young'
  return quote.noPast && 'young quote'
}
