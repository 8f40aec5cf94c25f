/** Finds the pools of a token by asking every factory for every quote token, and reads their states. */
import { type Address, encodeFunctionData, hexToBigInt, parseAbi } from 'viem'
import type { PoolKind } from '../reader.ts'
import { addressOf, type Call, type Returned, uintOf, wordsOf } from './calls.ts'
import type { Factory, Market, Quote } from './market.ts'
import { each, type Plan } from './plan.ts'
import { balanceCall } from './token.ts'

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
  address: Address
  kind: PoolKind
  factory: Address
  token: Address
  quote: Quote
  /** In millionths. Undefined: the pool, or its factory, says. */
  fee: number | undefined
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

/** `quotes` leaves the token itself out. */
export const findPools = (
  token: Address,
  { factories }: Market,
  quotes: readonly Quote[],
): Plan<FoundPool[]> => {
  const asked = quotes
    .filter(({ address }) => address.toLowerCase() !== token.toLowerCase())
    .flatMap(quote => factories.flatMap(factory => variantsOf(factory, token, quote)))
  return {
    calls: asked.map(({ call }) => call),
    read: returned =>
      asked.flatMap(({ pool }, i) => {
        const address = addressOf(returned[i])
        return address ? [{ ...pool, address }] : []
      }),
  }
}

function variantsOf(
  factory: Factory,
  token: Address,
  quote: Quote,
): { call: Call; pool: Omit<FoundPool, 'address'> }[] {
  const to = factory.address
  const pair = [token, quote.address] as const
  const base = { factory: to, token, quote }
  const call = (data: Call['data']) => ({ to, data })
  switch (factory.kind) {
    case 'uniswap_v2':
      return [
        {
          call: call(encodeFunctionData({ abi: factoryAbi, functionName: 'getPair', args: pair })),
          pool: { ...base, kind: 'uniswap_v2', fee: factory.fee },
        },
      ]
    case 'uniswap_v3':
      return factory.fees.map(fee => ({
        call: call(encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [...pair, fee] })),
        pool: { ...base, kind: 'uniswap_v3', fee },
      }))
    case 'solidly':
      return [false, true].map(stable => ({
        call: call(encodeFunctionData({ abi: solidlyAbi, functionName: 'getPool', args: [...pair, stable] })),
        pool: { ...base, kind: stable ? 'solidly_stable' : 'solidly_volatile', fee: undefined },
      }))
    case 'slipstream':
      return factory.spacings.map(spacing => ({
        call: call(
          encodeFunctionData({ abi: slipstreamAbi, functionName: 'getPool', args: [...pair, spacing] }),
        ),
        pool: { ...base, kind: 'slipstream', fee: undefined },
      }))
  }
}

/** Leaves out the pools that have no liquidity where the price is. */
export const readPools = (pools: readonly FoundPool[]): Plan<Pool[]> => {
  const plans = each(pools.map(statePlan))
  return { calls: plans.calls, read: returned => plans.read(returned).flatMap(pool => pool ?? []) }
}

const statePlan = (pool: FoundPool): Plan<Pool | undefined> =>
  pool.kind === 'uniswap_v3' || pool.kind === 'slipstream' ? concentratedPlan(pool) : pairPlan(pool)

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
