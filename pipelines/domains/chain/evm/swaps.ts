/** Asks pools what a swap would pay, without making it. */
import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { callOf } from './call.ts'
import bytecode from './contracts/bytecode.json' with { type: 'json' }
import { constantProductOut, fallLimit } from './curves.ts'
import { type EvmBlock, isGas, look } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { ConcentratedPool, EvmPool } from './pools.ts'
import { uintOf } from './words.ts'

interface Swap {
  pool: Address
  zeroForOne: boolean
  amount: bigint
  limit: bigint
  key: { currency0: Address; currency1: Address; fee: number; tickSpacing: number; hooks: Address }
}

interface Paid {
  ok: boolean
  starved: boolean
  amount0: bigint
  amount1: bigint
}

const asked = parseAbiParameters([
  'Swap[] swaps',
  'struct Swap { address pool; bool zeroForOne; int256 amount; uint160 limit; Key key; }',
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])
const told = parseAbiParameters([
  'Told[] told',
  'struct Told { bool ok; bool starved; int256 amount0; int256 amount1; }',
])
/** A call that creates a contract may return 24 kB. */
const mostAtOnce = 30
const lowest = 4295128740n
const highest = 1461446703485210103287273052203988822378723970341n
/** More than any pool holds. */
const everything = 2n ** 120n

/** A call of its own needs the number of a block alone. */
type At = Pick<EvmBlock, 'number'>

async function swapped(nodes: EvmNodes, swaps: readonly Swap[], block: At): Promise<Paid[]> {
  const paid: Paid[] = []
  for (let i = 0; i < swaps.length; i += mostAtOnce)
    paid.push(...(await swappedAtOnce(nodes, swaps.slice(i, i + mostAtOnce), block)))
  return paid
}

async function swappedAtOnce(nodes: EvmNodes, swaps: readonly Swap[], block: At): Promise<Paid[]> {
  const data: Hex = `${bytecode.quotes as Hex}${encodeAbiParameters(asked, [swaps]).slice(2)}`
  const { answer } = await nodes.ask(async client => {
    try {
      const reply = await client.call({ data, blockNumber: BigInt(block.number) })
      if (!reply.data) throw new UpstreamFailed('the node did not run the call')
      return decodeAbiParameters(told, reply.data)[0]
    } catch (error) {
      if (isGas(error)) return undefined
      throw error
    }
  })
  // A single swap has all the gas that the node gives.
  if (swaps.length === 1) return [...(answer ?? [nothing])]
  const again = answer ? swaps.filter((_, i) => answer[i]?.starved) : swaps
  const paid: Paid[] = []
  for (const swap of again) paid.push(...(await swappedAtOnce(nodes, [swap], block)))
  return answer ? answer.map(each => (each.starved ? (paid.shift() as Paid) : each)) : paid
}

const nothing: Paid = { ok: false, starved: true, amount0: 0n, amount1: 0n }

/** What each pool pays out in the quote token, in atoms, until its price has fallen by 2 %. */
export async function concentratedDepths(
  nodes: EvmNodes,
  pools: readonly ConcentratedPool[],
  block: At,
): Promise<bigint[]> {
  const swaps = pools.map(pool => swapIn(pool, pool.tokenIsZero, everything, fallLimit(pool)))
  const paid = await swapped(nodes, swaps, block)
  return paid.map(({ ok, amount0, amount1 }, i) => (ok ? -(pools[i]?.tokenIsZero ? amount1 : amount0) : 0n))
}

const noKey = { currency0: zeroAddress, currency1: zeroAddress, fee: 0, tickSpacing: 0 }

const swapIn = (
  { address, factory, key }: ConcentratedPool,
  zeroForOne: boolean,
  amount: bigint,
  limit: bigint,
): Swap => ({
  pool: key ? factory : address,
  zeroForOne,
  amount,
  limit,
  key: { ...(key ?? noKey), hooks: zeroAddress },
})

/** What a trade pays out, in atoms. Undefined if the pool refuses it, or cannot take the whole amount. */
export async function paidFor(
  nodes: EvmNodes,
  pool: EvmPool,
  side: 'buy' | 'sell',
  amountIn: bigint,
  block: EvmBlock,
): Promise<bigint | undefined> {
  if (pool.form === 'concentrated') {
    const zeroForOne = (side === 'sell') === pool.tokenIsZero
    const limit = zeroForOne ? lowest : highest
    const [paid] = await swapped(nodes, [swapIn(pool, zeroForOne, amountIn, limit)], block)
    if (!paid?.ok) return undefined
    const [into, out] = zeroForOne ? [paid.amount0, paid.amount1] : [paid.amount1, paid.amount0]
    return into === amountIn ? -out : undefined
  }
  if (pool.kind === 'uniswap_v2') return constantProductOut(pool, side, amountIn)
  const tokenIn = side === 'buy' ? pool.quote.address : pool.token
  const call = callOf(pool.address, 'getAmountOut(uint256,address)', amountIn, tokenIn)
  const { returned } = await look(nodes, [call], block)
  return uintOf(returned[0])
}
