/** Finds the pools of a token by asking every factory for every quote token. */
import { type Address, type Hex, zeroAddress } from 'viem'
import type { PoolKind } from '../reader.ts'
import { type ContractCall, callOf, type WordValue } from './call.ts'
import type { EvmMarket, Factory, QuoteToken } from './market.ts'
import type { Plan } from './plan.ts'
import { type V4Key, v4Id, v4Key, v4Slot0 } from './v4.ts'
import { addressOf, type Returned, uintOf } from './words.ts'

export interface FoundPool {
  /** For Uniswap v4: its id. */
  address: Hex
  kind: PoolKind
  factory: Address
  token: Address
  quote: QuoteToken
  /** In millionths. Undefined if it must be read from the pool or its factory. */
  fee: number | undefined
  /** For Uniswap v4. Its factory is the pool manager. */
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
  /** Uniswap v2 sums its price up, second by second. Undefined for the other pairs. */
  summed?: PriceSum | undefined
}

/** The sum of the prices of all seconds until `at`, in the pool's own form: atoms of the quote token, times 2^112. */
interface PriceSum {
  sum: bigint
  /** In seconds, modulo 2^32. */
  at: bigint
}

export interface ConcentratedPool extends Live {
  form: 'concentrated'
  sqrtPriceX96: bigint
  /** The average tick of the last 30 minutes. Null if the pool keeps no history that long. */
  averageTick: number | null
}

export type EvmPool = PairPool | ConcentratedPool

interface Variant {
  call: ContractCall
  pool: Omit<FoundPool, 'address'>
  /** The address of the pool in the answer of the call. */
  addressIn(returned: Returned): Hex | undefined
}

/** A quote token has no pool with itself. */
export const findPools = (
  token: Address,
  market: EvmMarket,
  quotes: readonly QuoteToken[],
): Plan<FoundPool[]> => {
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

function variantsOf(factory: Factory, token: Address, quote: QuoteToken, wrapped: Address): Variant[] {
  const to = factory.address
  const variant = (
    kind: PoolKind,
    fee: number | undefined,
    signature: string,
    ...which: readonly WordValue[]
  ): Variant => ({
    call: callOf(to, signature, token, quote.address, ...which),
    pool: { factory: to, token, quote, kind, fee },
    addressIn: addressOf,
  })
  switch (factory.kind) {
    case 'uniswap_v2':
      return [variant('uniswap_v2', factory.fee, 'getPair(address,address)')]
    case 'uniswap_v3':
      return factory.fees.map(fee => variant('uniswap_v3', fee, 'getPool(address,address,uint24)', fee))
    case 'solidly':
      return [false, true].map(stable =>
        variant(
          stable ? 'solidly_stable' : 'solidly_volatile',
          undefined,
          'getPool(address,address,bool)',
          stable,
        ),
      )
    case 'slipstream':
      return factory.spacings.map(spacing =>
        variant('slipstream', undefined, 'getPool(address,address,int24)', spacing),
      )
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
