/** Reads the states of pools: reserves, or price and liquidity. */
import { hexToBigInt } from 'viem'
import { callOf } from './call.ts'
import { each, type Plan } from './plan.ts'
import type { ConcentratedPool, EvmPool, FoundPool, PairPool } from './pools.ts'
import { balanceCall } from './token.ts'
import { rootIn, type V4Key, v4Liquidity, v4Slot0 } from './v4.ts'
import { type Returned, uintOf, wordsOf } from './words.ts'

const averageSeconds = 1800
/** A list of two times: its place, its length, and the times. */
const span = [32, 2, averageSeconds, 0] as const

/** Leaves out pools without liquidity at the current price. */
export const readPools = (pools: readonly FoundPool[]): Plan<EvmPool[]> => {
  const plans = each(pools.map(statePlan))
  return { calls: plans.calls, read: returned => plans.read(returned).flatMap(pool => pool ?? []) }
}

function statePlan(pool: FoundPool): Plan<EvmPool | undefined> {
  if (pool.key) return v4Plan({ ...pool, key: pool.key })
  return pool.kind === 'uniswap_v3' || pool.kind === 'slipstream' ? concentratedPlan(pool) : pairPlan(pool)
}

const v4Plan = (pool: FoundPool & { key: V4Key }): Plan<ConcentratedPool | undefined> => ({
  calls: [v4Slot0(pool.factory, pool.address), v4Liquidity(pool.factory, pool.address)],
  read([slot0, liquidity]) {
    const sqrtPriceX96 = rootIn(uintOf(slot0) ?? 0n)
    if (!sqrtPriceX96 || !BigInt.asUintN(128, uintOf(liquidity) ?? 0n)) return undefined
    const { key, fee = key.fee, quote } = pool
    // The quote token is in the key. If it is not, the native coin, which comes first, replaces it.
    const quoteIsOne = key.currency1.toLowerCase() === quote.address.toLowerCase()
    return {
      ...pool,
      fee,
      tokenIsZero: quoteIsOne,
      form: 'concentrated',
      sqrtPriceX96,
      averageTick: null,
    }
  },
})

const live = (pool: FoundPool, fee: number) => ({
  ...pool,
  fee,
  tokenIsZero: hexToBigInt(pool.token) < hexToBigInt(pool.quote.address),
})

/** Aerodrome's fee is in hundredths of a percent. */
const perMillion = 100n

/** The second call: Uniswap v2 has its fee by rule, and a sum of its prices. The others have no such sum. */
const pairPlan = (pool: FoundPool): Plan<PairPool | undefined> => ({
  calls: [
    callOf(pool.address, 'getReserves()'),
    pool.kind === 'uniswap_v2'
      ? callOf(pool.address, live(pool, 0).tokenIsZero ? 'price0CumulativeLast()' : 'price1CumulativeLast()')
      : callOf(pool.factory, 'getFee(address,bool)', pool.address, pool.kind === 'solidly_stable'),
  ],
  read([reserves, said]) {
    const [first, second, at] = wordsOf(reserves).map(word => hexToBigInt(word))
    const given = uintOf(said)
    const fee = pool.fee ?? (given === undefined ? undefined : Number(given * perMillion))
    if (!first || !second || fee === undefined) return undefined
    const known = live(pool, fee)
    const [reserveToken, reserveQuote] = known.tokenIsZero ? [first, second] : [second, first]
    const summed =
      pool.kind === 'uniswap_v2' && given !== undefined && at !== undefined ? { sum: given, at } : undefined
    return { ...known, form: 'pair', reserveToken, reserveQuote, summed }
  },
})

const concentratedPlan = (pool: FoundPool): Plan<ConcentratedPool | undefined> => ({
  calls: [
    callOf(pool.address, 'slot0()'),
    callOf(pool.address, 'liquidity()'),
    callOf(pool.address, 'fee()'),
    callOf(pool.address, 'observe(uint32[])', ...span),
    balanceCall(pool.quote.address, pool.address),
  ],
  read([slot0, liquidity, said, observed, held]) {
    // Slipstream's slot0 has one field fewer than Uniswap's. The first field is the price in both.
    const sqrtPriceX96 = wordsOf(slot0).map(word => hexToBigInt(word))[0]
    const fee = pool.fee ?? Number(uintOf(said) ?? 0n)
    if (!sqrtPriceX96 || !uintOf(liquidity) || !uintOf(held) || !fee) return undefined
    return { ...live(pool, fee), form: 'concentrated', sqrtPriceX96, averageTick: averageTick(observed) }
  },
})

function averageTick(observed: Returned): number | null {
  // The places of two lists, then the length of the first list, and its two values.
  const [, , count, then, now] = wordsOf(observed)
  if (!count || !then || !now || hexToBigInt(count) !== 2n) return null
  const [from, to] = [then, now].map(word => BigInt.asIntN(56, hexToBigInt(word)))
  return Number((to as bigint) - (from as bigint)) / averageSeconds
}
