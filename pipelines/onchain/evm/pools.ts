/** Finds the pools of a token by asking every factory for every quote token, and reads their states. */
import { type Address, encodeFunctionData, type Hex, hexToBigInt, parseAbi, zeroAddress } from 'viem'
import type { PoolKind } from '../reader.ts'
import { addressOf, type Call, type Returned, uintOf, wordsOf } from './calls.ts'
import type { Factory, Market, Quote } from './market.ts'
import { each, type Plan } from './plan.ts'
import { balanceCall } from './token.ts'
import { rootIn, type V4Key, v4Id, v4Key, v4Liquidity, v4Slot0 } from './v4.ts'

const factoryAbi = parseAbi([
  'function getPair(address a, address b) view returns (address)',
  'function getPool(address a, address b, uint24 fee) view returns (address)',
  'function getFee(address pool, bool stable) view returns (uint256)',
])
const solidlyAbi = parseAbi(['function getPool(address a, address b, bool stable) view returns (address)'])
const slipstreamAbi = parseAbi([
  'function getPool(address a, address b, int24 spacing) view returns (address)',
])
const poolAbi = parseAbi([
  'function getReserves() view returns (uint256, uint256, uint256)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick)',
  'function liquidity() view returns (uint128)',
  'function fee() view returns (uint24)',
  'function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[])',
])

export interface FoundPool {
  /** Of Uniswap v4: its id. */
  address: Hex
  kind: PoolKind
  factory: Address
  token: Address
  quote: Quote
  /** In millionths. Undefined: the pool, or its factory, says. */
  fee: number | undefined
  /** Of Uniswap v4. Its factory is the pool manager. */
  key?: V4Key
}

interface Live extends FoundPool {
  fee: number
  tokenIsZero: boolean
}

export interface PairPool extends Live {
  form: 'pair'
  reserveToken: bigint
  reserveQuote: bigint
}

export interface ConcentratedPool extends Live {
  form: 'concentrated'
  sqrtPriceX96: bigint
  /** The average tick of the last 30 minutes. Null: the pool keeps none for so long. */
  averageTick: number | null
}

export type Pool = PairPool | ConcentratedPool

export const averageSeconds = 1800

interface Variant {
  call: Call
  pool: Omit<FoundPool, 'address'>
  /** The address of the pool, as the answer of the call tells it. */
  addressIn(returned: Returned): Hex | undefined
}

/** A token that is a quote token itself has no pool with itself. */
export const findPools = (token: Address, market: Market, quotes: readonly Quote[]): Plan<FoundPool[]> => {
  const asked = quotes
    .filter(({ address }) => address.toLowerCase() !== token.toLowerCase())
    .flatMap(quote => market.factories.flatMap(factory => variantsOf(factory, token, quote, market.wrapped)))
  return {
    calls: asked.map(({ call }) => call),
    read: returned =>
      asked.flatMap(({ pool, addressIn }, i) => {
        const address = addressIn(returned[i])
        return address ? [{ ...pool, address }] : []
      }),
  }
}

function variantsOf(factory: Factory, token: Address, quote: Quote, wrapped: Address): Variant[] {
  const to = factory.address
  const pair = [token, quote.address] as const
  const variant = (kind: PoolKind, fee: number | undefined, data: Hex): Variant => ({
    call: { to, data },
    pool: { factory: to, token, quote, kind, fee },
    addressIn: addressOf,
  })
  switch (factory.kind) {
    case 'uniswap_v2': {
      const data = encodeFunctionData({ abi: factoryAbi, functionName: 'getPair', args: pair })
      return [variant('uniswap_v2', factory.fee, data)]
    }
    case 'uniswap_v3':
      return factory.fees.map(fee => {
        const data = encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [...pair, fee] })
        return variant('uniswap_v3', fee, data)
      })
    case 'solidly':
      return [false, true].map(stable => {
        const data = encodeFunctionData({ abi: solidlyAbi, functionName: 'getPool', args: [...pair, stable] })
        return variant(stable ? 'solidly_stable' : 'solidly_volatile', undefined, data)
      })
    case 'slipstream':
      return factory.spacings.map(spacing => {
        const args = [...pair, spacing] as const
        return variant(
          'slipstream',
          undefined,
          encodeFunctionData({ abi: slipstreamAbi, functionName: 'getPool', args }),
        )
      })
    case 'uniswap_v4':
      return currencies(token, quote.address, wrapped).flatMap(([a, b]) =>
        factory.tiers.map(({ fee, spacing }) => {
          const key = v4Key(a, b, fee, spacing)
          const id = v4Id(key)
          return {
            call: v4Slot0(to, id),
            pool: { factory: to, token, quote, kind: 'uniswap_v4', fee, key },
            addressIn: returned => (uintOf(returned) ? id : undefined),
          }
        }),
      )
  }
}

/** A pool of Uniswap v4 may hold the native coin itself in place of the wrapped one. */
function currencies(token: Address, quote: Address, wrapped: Address): (readonly [Address, Address])[] {
  const coin = (address: Address) => (address.toLowerCase() === wrapped.toLowerCase() ? zeroAddress : address)
  const native = [coin(token), coin(quote)] as const
  return native.includes(zeroAddress) ? [[token, quote], native] : [[token, quote]]
}

/** Leaves out the pools that have no liquidity where the price is. */
export const readPools = (pools: readonly FoundPool[]): Plan<Pool[]> => {
  const plans = each(pools.map(statePlan))
  return { calls: plans.calls, read: returned => plans.read(returned).flatMap(pool => pool ?? []) }
}

function statePlan(pool: FoundPool): Plan<Pool | undefined> {
  if (pool.key) return v4Plan({ ...pool, key: pool.key })
  return pool.kind === 'uniswap_v3' || pool.kind === 'slipstream' ? concentratedPlan(pool) : pairPlan(pool)
}

const v4Plan = (pool: FoundPool & { key: V4Key }): Plan<ConcentratedPool | undefined> => ({
  calls: [v4Slot0(pool.factory, pool.address), v4Liquidity(pool.factory, pool.address)],
  read([slot0, liquidity]) {
    const sqrtPriceX96 = rootIn(uintOf(slot0) ?? 0n)
    if (!sqrtPriceX96 || !BigInt.asUintN(128, uintOf(liquidity) ?? 0n)) return undefined
    const { key, fee = key.fee, quote } = pool
    // The quote token is found in the key, or else the native coin stands for it, which comes first.
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

const pairPlan = (pool: FoundPool): Plan<PairPool | undefined> => ({
  calls: [
    { to: pool.address, data: encodeFunctionData({ abi: poolAbi, functionName: 'getReserves' }) },
    {
      to: pool.factory,
      data: encodeFunctionData({
        abi: factoryAbi,
        functionName: 'getFee',
        args: [pool.address, pool.kind === 'solidly_stable'],
      }),
    },
  ],
  read([reserves, said]) {
    const [first, second] = wordsOf(reserves).map(word => hexToBigInt(word))
    const given = uintOf(said)
    const fee = pool.fee ?? (given === undefined ? undefined : Number(given * perMillion))
    if (!first || !second || fee === undefined) return undefined
    const known = live(pool, fee)
    const [reserveToken, reserveQuote] = known.tokenIsZero ? [first, second] : [second, first]
    return { ...known, form: 'pair', reserveToken, reserveQuote }
  },
})

const concentratedPlan = (pool: FoundPool): Plan<ConcentratedPool | undefined> => ({
  calls: [
    { to: pool.address, data: encodeFunctionData({ abi: poolAbi, functionName: 'slot0' }) },
    { to: pool.address, data: encodeFunctionData({ abi: poolAbi, functionName: 'liquidity' }) },
    { to: pool.address, data: encodeFunctionData({ abi: poolAbi, functionName: 'fee' }) },
    {
      to: pool.address,
      data: encodeFunctionData({ abi: poolAbi, functionName: 'observe', args: [[averageSeconds, 0]] }),
    },
    balanceCall(pool.quote.address, pool.address),
  ],
  read([slot0, liquidity, said, observed, held]) {
    // Slipstream's slot0 has one field fewer than Uniswap's. The first is the price in both.
    const sqrtPriceX96 = wordsOf(slot0).map(word => hexToBigInt(word))[0]
    const fee = pool.fee ?? Number(uintOf(said) ?? 0n)
    if (!sqrtPriceX96 || !uintOf(liquidity) || !uintOf(held) || !fee) return undefined
    return { ...live(pool, fee), form: 'concentrated', sqrtPriceX96, averageTick: averageTick(observed) }
  },
})

function averageTick(observed: Returned): number | null {
  // The places of two lists, then the length of the first, and its two values.
  const [, , count, then, now] = wordsOf(observed)
  if (!count || !then || !now || hexToBigInt(count) !== 2n) return null
  const [from, to] = [then, now].map(word => BigInt.asIntN(56, hexToBigInt(word)))
  return Number((to as bigint) - (from as bigint)) / averageSeconds
}
