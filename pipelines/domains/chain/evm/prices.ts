/** Prices tokens from their deepest pools, in three looks at one block: find the pools, read them, measure their depth. */
import type { Address } from 'viem'
import { Decimal, type PoolPrice, toUnits, unit } from '../dollars.ts'
import { markets } from './chains/index.ts'
import { averageOf, midOf, pairDepth } from './curves.ts'
import { type EvmBlock, look } from './look.ts'
import type { QuoteToken } from './market.ts'
import type { EvmNodes } from './nodes.ts'
import { each, type Plan, together } from './plan.ts'
import { readPools } from './pool-states.ts'
import { type ConcentratedPool, type EvmPool, type FoundPool, findPools } from './pools.ts'
import { concentratedDepths } from './swaps.ts'
import { decimalsOf, tokenCall } from './token.ts'

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
  const depths = await depthsOf(nodes, pools, block)

  const priced = (token: Address, places: number, worth: (quote: QuoteToken) => Decimal | undefined) =>
    pools
      .filter(pool => same(pool.token, token))
      .flatMap(pool => pricedPool(pool, places, worth(pool.quote), depths) ?? [])
      .sort((a, b) => b.depthUsd.cmp(a.depthUsd))
  const oneDollar = (quote: QuoteToken) => (quote.dollar ? new Decimal(1) : undefined)
  const toDollars = new Map(
    coins.flatMap(({ symbol, address, decimals: places }) => {
      const [deepest] = priced(address, places, oneDollar)
      return deepest ? [[symbol, deepest] as const] : []
    }),
  )
  const worth = (quote: QuoteToken) => oneDollar(quote) ?? toDollars.get(quote.symbol)?.priceUsd
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

/** Every price needs the dollar pools of the coins, and they rarely change. */
const coinPoolsMs = 600_000
const known = new WeakMap<EvmNodes, { pools: readonly FoundPool[]; until: number }>()

function coinPools(
  nodes: EvmNodes,
  coins: readonly QuoteToken[],
  dollars: readonly QuoteToken[],
): Plan<readonly FoundPool[]> {
  const kept = known.get(nodes)
  if (kept && nodes.now() < kept.until) return { calls: [], read: () => kept.pools }
  const finding = each(coins.map(coin => findPools(coin.address, markets[nodes.chain], dollars)))
  return {
    calls: finding.calls,
    read(returned) {
      const pools = finding.read(returned).flat()
      if (pools.length) known.set(nodes, { pools, until: nodes.now() + coinPoolsMs })
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
  quoteUsd: Decimal | undefined,
  depths: ReadonlyMap<EvmPool, bigint>,
): EvmPricedPool | undefined {
  if (!quoteUsd) return undefined
  const depth =
    pool.form === 'pair' ? pairDepth(pool, decimals) : toUnits(depths.get(pool) ?? 0n, pool.quote.decimals)
  if (depth.lte(0)) return undefined
  const average = pool.form === 'concentrated' ? averageOf(pool, decimals) : null
  const priceUsd = midOf(pool, decimals).mul(quoteUsd)
  return {
    pool,
    quoteUsd,
    priceUsd,
    pieceUsd: priceUsd.div(unit(decimals)),
    depthUsd: depth.mul(quoteUsd),
    averageUsd: average?.mul(quoteUsd) ?? null,
  }
}
