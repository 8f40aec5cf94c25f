/** The stage of a trial: who buys, through which router, at which prices, and what the copy of the state is lent for it. */
import { randomInt } from 'node:crypto'
import { type Address, type Hex, numberToHex } from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import { Decimal } from '../dollars.ts'
import { aggregated } from './call.ts'
import { markets } from './chains/index.ts'
import bytecode from './contracts/bytecode.json' with { type: 'json' }
import { toAtoms } from './curves.ts'
import { type EvmBlock, multicall3 } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { EvmPool } from './pools.ts'
import type { Coins, EvmPricedPool } from './prices.ts'
import {
  freshAddress,
  type Head,
  headOf,
  type Lent,
  type SimulatedBlock,
  type SimulatedCall,
} from './simulate.ts'
import { balanceCall } from './token.ts'
import { approveData, besideRouter, fundData, routerOf, routeTo, tradeData } from './trial-route.ts'

/** The largest share of the depth, so that the trial itself hardly moves the price. */
const mostShare = new Decimal('0.05')
/** After the fee two pieces are bought, and one of them is sold. */
export const fewestPieces = 3
const lent = numberToHex(10n ** 30n)
/** The coins of a buyer, a third of one to two more: a token could know a number that is always nearly the same. */
export const pocket = () =>
  numberToHex(BigInt(randomInt(333_333_333_333, 2_333_333_333_333)) * 1_000_000n + 1n)

/** The gas of a trade, and of the trade that has no more than a wallet would give it. */
export const plenty = 3_000_000n
export const thrifty = 600_000n
export const little = 200_000n
/** Shares of the amount, one for each buyer. The smaller ones show how much can be bought where the larger ones fail. */
const rungs = [10, 1, 0.1, 0.01, 0.001, 0.0001]
export interface Buyer {
  address: Address
  dollars: Decimal
  /** In atoms of the quote token. */
  pays: bigint
}

export interface Stage {
  nodes: EvmNodes
  head: Head
  pool: EvmPool
  wrapped: Address
  router: Address
  /** The router's own code. */
  own: Hex
  /** The router runs its own code, that of Uniswap v2. Otherwise it is lent ours, which tells more of a failure. */
  real: boolean
  /** Has money, and reads. */
  patron: Address
  purse: Address
  buyers: readonly Buyer[]
  /** Has what one of them pays, and does not buy. */
  spare: Buyer
  fund: SimulatedCall
}

export async function stageOf(
  nodes: EvmNodes,
  deepest: EvmPricedPool,
  coins: Coins,
  wanted: Decimal,
  block: EvmBlock,
): Promise<Stage | undefined> {
  const { pool } = deepest
  const market = markets[nodes.chain]
  const route = routeTo(pool, market.wrapped, coins)
  if (!route || !coins.native) return undefined
  const router = routerOf(market, pool) ?? freshAddress()
  const [head, { answer: own = '0x' }] = await Promise.all([
    headOf(nodes, block),
    nodes.ask(client => client.getCode({ address: router, blockNumber: BigInt(block.number) })),
  ])
  const buyers = buyersOf(deepest, wanted)
  const usual = buyers[1] ?? buyers[0]
  if (!usual) return undefined
  const spare = { ...usual, address: freshAddress() }
  const funded = [...buyers, spare]
  const spent = funded.reduce((sum, { dollars }) => sum.add(dollars), new Decimal(0))
  // The way to the quote token costs fees, and what is too much stays where it is.
  const value = toAtoms(spent.mul(1.2).div(coins.native.priceUsd), 18)
  const [patron, purse] = [freshAddress(), freshAddress()]
  const data = fundData(
    market.wrapped,
    value,
    route,
    funded.map(({ address }) => address),
    funded.map(({ pays }) => pays),
  )
  return {
    ...{ nodes, head, pool, router, own, patron, purse, buyers, spare, wrapped: market.wrapped },
    real: pool.kind === 'uniswap_v2' && own !== '0x',
    fund: { from: patron, to: purse, gas: 2n * plenty, data },
  }
}

function buyersOf({ pool, depthUsd, pieceUsd, quoteUsd }: EvmPricedPool, wanted: Decimal): Buyer[] {
  const least = pieceUsd.mul(fewestPieces)
  const most = depthUsd.mul(mostShare)
  const usual = Decimal.max(least, Decimal.min(wanted, most))
  return rungs
    .map(share => Decimal.min(usual.mul(share), Decimal.max(usual, most)))
    .filter((dollars, i, all) => dollars.gte(least) && !all[i - 1]?.eq(dollars))
    .map(dollars => ({
      address: freshAddress(),
      dollars,
      pays: toAtoms(dollars.div(quoteUsd), pool.quote.decimals),
    }))
    .filter(({ pays }) => pays > 0n)
}

/** Enough for every sale of it, and never the same share of it, which a token could know. */
export const approvedFor = (got: bigint): bigint =>
  (got * BigInt(randomInt(150_001, 299_999))) / 100_000n + 1n

const code = bytecode.trial as Hex

export const lentTo = ({ patron, purse, buyers, spare, real, router, own }: Stage): Lent => ({
  [patron]: { balance: lent },
  [purse]: { balance: lent, code },
  ...Object.fromEntries([...buyers, spare].map(({ address }) => [address, { balance: pocket() }])),
  ...(!real && { [router]: { code } }),
  ...(!real && own !== '0x' && { [besideRouter(router)]: { code: own } }),
})

/** Whoever holds the tokens of the pool. */
export const holderOf = ({ pool }: Stage): Address => (pool.key ? pool.factory : pool.address)

/** Reads what the pool and the buyer hold of the token, and the buyer of the quote token. */
export function readCall(stage: Stage, buyer: Address): SimulatedCall {
  const { pool, patron } = stage
  const calls = [
    balanceCall(pool.token, holderOf(stage)),
    balanceCall(pool.token, buyer),
    balanceCall(pool.quote.address, buyer),
  ]
  return { from: patron, to: multicall3, data: aggregated(calls), gas: plenty }
}

export const secondsOfBlock = ({ nodes }: Stage) =>
  Math.max(1, Math.round(chains[nodes.chain].blockMs / 1000))

/** Each buyer approves, is read, buys, and is read again. */
export function purchaseBlock(stage: Stage, more: readonly SimulatedCall[] = []): SimulatedBlock {
  const { pool, router, buyers, fund, wrapped, real } = stage
  return {
    blocks: 1,
    seconds: secondsOfBlock(stage),
    calls: [
      fund,
      ...buyers.flatMap(({ address, pays }): SimulatedCall[] => [
        { from: address, to: pool.quote.address, data: approveData(router, pays), gas: little },
        readCall(stage, address),
        {
          from: address,
          to: router,
          data: tradeData(pool, 'buy', pays, address, wrapped, real),
          gas: plenty,
        },
        readCall(stage, address),
      ]),
      ...more,
    ],
  }
}
