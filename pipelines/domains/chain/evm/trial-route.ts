/** The way of a trial: from the native coin to the quote token of a pool, and through the router of that pool. */
import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import type { EvmMarket } from './market.ts'
import type { EvmPool } from './pools.ts'
import type { Coins } from './prices.ts'

const trialAbi = parseAbi([
  'struct Hop { address pool; uint8 kind; address tokenIn; address tokenOut; uint256 fee; int24 tickSpacing; address wrapped; }',
  'function fund(address wrapped, uint256 value, Hop[] route, address[] buyers, uint256[] amounts)',
  'function trade(Hop hop, uint256 amountIn) returns (uint256)',
])
const routerAbi = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
])
const tokenAbi = parseAbi(['function approve(address spender, uint256 value)'])
const forever = 2n ** 63n

const kinds: Partial<Record<EvmPool['kind'], number>> = {
  uniswap_v2: 0,
  solidly_volatile: 1,
  solidly_stable: 1,
  uniswap_v3: 2,
  slipstream: 2,
  uniswap_v4: 3,
}

type Side = 'buy' | 'sell'

const hop = ({ address, factory, key, kind, token, quote, fee }: EvmPool, side: Side, wrapped: Address) => ({
  pool: key ? factory : address,
  kind: kinds[kind] ?? 2,
  tokenIn: side === 'buy' ? quote.address : token,
  tokenOut: side === 'buy' ? token : quote.address,
  fee: BigInt(fee),
  tickSpacing: key?.tickSpacing ?? 0,
  wrapped: key?.currency0 === zeroAddress ? wrapped : zeroAddress,
})
type Hop = ReturnType<typeof hop>

/** The hops that buy the quote token of a pool. Undefined if no pools lead there. */
export function routeTo(
  pool: EvmPool,
  wrapped: Address,
  { native, toDollars }: Coins,
): readonly Hop[] | undefined {
  const is = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase()
  if (is(pool.quote.address, wrapped)) return []
  if (!native) return undefined
  const first = hop(native.pool, 'sell', wrapped)
  if (is(native.pool.quote.address, pool.quote.address)) return [first]
  const second = toDollars.get(pool.quote.symbol)?.pool
  return second && is(second.quote.address, native.pool.quote.address)
    ? [first, hop(second, 'buy', wrapped)]
    : undefined
}

export const routerOf = ({ factories }: EvmMarket, { factory }: EvmPool): Address | undefined =>
  factories.find(({ address }) => address.toLowerCase() === factory.toLowerCase())?.router

/** Where the own code of a router lies while it is lent ours. */
export const besideRouter = (router: Address): Address =>
  `0x${(BigInt(router) ^ 1n).toString(16).padStart(40, '0')}`

export const fundData = (
  wrapped: Address,
  value: bigint,
  route: readonly Hop[],
  buyers: readonly Address[],
  amounts: readonly bigint[],
): Hex =>
  encodeFunctionData({
    abi: trialAbi,
    functionName: 'fund',
    args: [wrapped, value, [...route], [...buyers], [...amounts]],
  })

export const approveData = (spender: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] })

/** `real`: the router runs its own code, which is that of Uniswap v2. */
export function tradeData(
  pool: EvmPool,
  side: Side,
  amountIn: bigint,
  buyer: Address,
  wrapped: Address,
  real: boolean,
): Hex {
  const way = hop(pool, side, wrapped)
  if (!real) return encodeFunctionData({ abi: trialAbi, functionName: 'trade', args: [way, amountIn] })
  return encodeFunctionData({
    abi: routerAbi,
    functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    args: [amountIn, 0n, [way.tokenIn, way.tokenOut], buyer, forever],
  })
}
