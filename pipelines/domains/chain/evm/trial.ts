/** Buys a token and sells it at once, in a simulated call that changes nothing on the chain. */
import {
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { Decimal } from '../dollars.ts'
import { cleaned } from '../text.ts'
import { markets } from './chains/index.ts'
import bytecode from './contracts/bytecode.json' with { type: 'json' }
import { toAtoms } from './curves.ts'
import type { EvmBlock } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { EvmPool } from './pools.ts'
import type { Coins, EvmPricedPool } from './prices.ts'

const trialAbi = parseAbi([
  'struct Hop { address pool; uint8 kind; address tokenIn; address tokenOut; uint256 fee; int24 tickSpacing; bool isNative; }',
  'struct Told { uint8 reached; uint256 paidOut; uint256 received; uint256 sent; uint256 arrived; uint256 back; bytes reason; }',
  'function run(address wrapped, uint256 value, Hop[] route) returns (Told)',
])

export type TokenTrial =
  | { tried: false; why: string }
  | {
      tried: true
      bought: boolean
      sold: boolean
      /** In percent. Null if the trial did not reach this step. */
      buyTax: Decimal | null
      sellTax: Decimal | null
      /** The amount of the trial, in dollars. */
      dollars: Decimal
      /** The reason why it stopped, in the token's words. */
      reason: string | null
    }

/** An address without a known key and without a contract. */
const stage: Address = '0x00000000000000000000000000000000fa4eb0c5'
/** The largest share of the depth, so that the trial itself hardly moves the price. */
const mostShare = new Decimal('0.05')
/** After the fee two pieces are bought, and one of them is sold. */
const fewestPieces = 3
/** Used if the caller names no amount. */
export const usualDollars = 100
const lent = 10n ** 30n

const kinds: Partial<Record<EvmPool['kind'], number>> = {
  uniswap_v2: 0,
  solidly_volatile: 1,
  solidly_stable: 1,
  uniswap_v3: 2,
  slipstream: 2,
  uniswap_v4: 3,
}

const hop = ({ address, factory, key, kind, token, quote, fee }: EvmPool, side: 'buy' | 'sell') => ({
  pool: key ? factory : address,
  kind: kinds[kind] ?? 2,
  tokenIn: side === 'buy' ? quote.address : token,
  tokenOut: side === 'buy' ? token : quote.address,
  fee: BigInt(fee),
  tickSpacing: key?.tickSpacing ?? 0,
  isNative: key?.currency0 === zeroAddress,
})

export async function tried(
  nodes: EvmNodes,
  deepest: EvmPricedPool,
  coins: Coins,
  amountUsd: number,
  block: EvmBlock,
): Promise<TokenTrial> {
  const { wrapped } = markets[nodes.chain]
  const route = routeTo(deepest.pool, wrapped, coins)
  if (!route || !coins.native)
    return { tried: false, why: 'no pools lead from the native coin to the pool of the token' }
  const least = deepest.pieceUsd.mul(fewestPieces)
  if (least.gt(deepest.depthUsd))
    return {
      tried: false,
      why: `${fewestPieces} of its smallest pieces are worth more than the depth of its pool`,
    }
  const dollars = Decimal.max(least, Decimal.min(amountUsd, deepest.depthUsd.mul(mostShare)))
  const value = toAtoms(dollars.div(coins.native.priceUsd), 18)
  const data = encodeFunctionData({ abi: trialAbi, functionName: 'run', args: [wrapped, value, route] })
  const { answer } = await nodes.ask(async client => {
    try {
      const reply = await client.call({
        to: stage,
        data,
        blockNumber: BigInt(block.number),
        stateOverride: [{ address: stage, code: bytecode.trial as Hex, balance: lent }],
      })
      return reply.data
    } catch (error) {
      // A node without support for overrides refuses, or runs no code. A node that does not answer at all is asked
      // again.
      if (isRefusal(error)) return undefined
      throw error
    }
  })
  if (!answer || answer === '0x')
    return { tried: false, why: 'the node refuses calls that override the state' }
  const told = decodeFunctionResult({ abi: trialAbi, functionName: 'run', data: answer })
  if (told.reached === 0)
    return { tried: false, why: `its quote token could not be bought: ${saidBy(told.reason)}` }
  return {
    tried: true,
    bought: told.reached >= 2 && told.received > 0n,
    sold: told.reached === 3 && told.back > 0n,
    buyTax: told.reached >= 2 ? lost(told.paidOut, told.received) : null,
    sellTax: told.reached === 3 ? lost(told.sent, told.arrived) : null,
    dollars,
    reason: told.reached < 3 ? saidBy(told.reason) : null,
  }
}

/** The route sells the wrapped coin for dollars, buys the token's quote token with them, and with that the token. */
function routeTo(pool: EvmPool, wrapped: Address, { native, toDollars }: Coins) {
  const is = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase()
  const last = hop(pool, 'buy')
  if (is(pool.quote.address, wrapped)) return [last]
  if (!native) return undefined
  const first = hop(native.pool, 'sell')
  if (is(native.pool.quote.address, pool.quote.address)) return [first, last]
  const second = toDollars.get(pool.quote.symbol)?.pool
  return second && is(second.quote.address, native.pool.quote.address)
    ? [first, hop(second, 'buy'), last]
    : undefined
}

function lost(sent: bigint, came: bigint): Decimal | null {
  if (sent === 0n) return null
  const share = new Decimal(String(sent - came)).div(String(sent)).mul(100)
  return Decimal.max(0, share).toDecimalPlaces(2)
}

function isRefusal(error: unknown): boolean {
  const { name = '', cause } = error as { name?: string; cause?: unknown }
  if (/HttpRequest|Timeout|Socket/.test(name)) return false
  return cause instanceof Error ? isRefusal(cause) : true
}

const errorAbi = parseAbi(['error Error(string reason)', 'error Panic(uint256 code)'])

export function saidBy(data: Hex): string {
  if (data === '0x') return 'it gives no reason'
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorAbi, data })
    return errorName === 'Error' ? JSON.stringify(cleaned(String(args[0])).text ?? '') : `panic ${args[0]}`
  } catch {
    // A stranger's contract has its own errors.
    return `error ${data.slice(0, 10)}`
  }
}
