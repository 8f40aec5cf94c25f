/**
 * What a few sales in a few blocks cannot see: a token that closes after many sales or purchases, after months, or after
 * thousands of blocks. A node simulates at most 256 blocks, so the token is lent a copy of its own code for which the number of
 * a block is its second: then few blocks are as far apart as their times.
 */
import { randomInt } from 'node:crypto'
import type { Hex } from 'viem'
import type { Code } from './code.ts'
import { withSecondsForBlocks } from './operations.ts'
import { type Lent, type SimulatedBlock, type SimulatedCall, simulated } from './simulate.ts'
import { type Bought, saleIn, type TriedSale } from './trial-reading.ts'
import { approveData, tradeData } from './trial-route.ts'
import {
  approvedFor,
  lentTo,
  little,
  plenty,
  pocket,
  purchaseBlock,
  readCall,
  type Stage,
  secondsOfBlock,
} from './trial-stage.ts'
import type { Counted, Endured } from './trial-verdict.ts'

const mostSales = 120
/** Fewer pieces show nothing that the short trial does not. */
const leastSales = 30
const year = 365 * 86_400

const approval = (stage: Stage, { buyer, got }: Bought): SimulatedCall => ({
  ...{ from: buyer.address, to: stage.pool.token, gas: little },
  data: approveData(stage.router, approvedFor(got)),
})

const trade = (
  stage: Stage,
  side: 'buy' | 'sell',
  { address }: Bought['buyer'],
  amount: bigint,
): SimulatedCall => ({
  ...{ from: address, to: stage.router, gas: plenty },
  data: tradeData(stage.pool, side, amount, address, stage.wrapped, stage.real),
})

/** One account sells half of what it has in small pieces, and another buys as often, through a year. */
export async function endured(stage: Stage, seller: Bought): Promise<Endured | undefined> {
  const { spare } = stage
  // Half of it, so that the pieces are small beside what is left.
  const half = seller.got / 2n
  const count = half < BigInt(mostSales) ? Number(half) : mostSales
  if (count < leastSales) return undefined
  // A token may let out some amounts alone, such as even ones.
  const amounts = Array.from({ length: count }, () => aboutOf(half / BigInt(count)))
  const read = readCall(stage, seller.buyer.address)
  const blocks = amounts.map((amount, i): SimulatedBlock => {
    const sale = trade(stage, 'sell', seller.buyer, amount)
    return {
      blocks: 2 + 2 * i,
      seconds: 2 * secondsOfBlock(stage) + Math.floor((i * year) / count),
      // The fees of so many are more than a purse holds.
      lent: purses(stage, seller),
      calls: [
        ...(i === count - 1 ? [read, sale, read] : [sale]),
        trade(stage, 'buy', spare, spare.pays / BigInt(count)),
      ],
    }
  })
  const approved = approveData(stage.router, spare.pays)
  const told = await simulated(stage.nodes, stage.head, lentTo(stage), [
    purchaseBlock(stage, [
      approval(stage, seller),
      { from: spare.address, to: stage.pool.quote.address, data: approved, gas: little },
    ]),
    ...blocks,
  ])
  const all = told?.slice(1)
  if (!all) return undefined
  const last = saleIn(
    stage,
    { seller, amount: amounts.at(-1) as bigint, gas: plenty },
    all.at(-1)?.slice(0, 3) ?? [],
  )
  return { ends: [...all.slice(0, -1).map(([sold]) => sold?.ok === true), last.ok], last }
}

/** Nine tenths of it to all of it. */
const aboutOf = (amount: bigint): bigint =>
  (amount * BigInt(randomInt(900_001, 1_000_001))) / 1_000_000n || 1n

const purses = ({ spare }: Stage, { buyer }: Bought): Lent => ({
  [buyer.address]: { balance: pocket() },
  [spare.address]: { balance: pocket() },
})

/** A sale in the next block, and some that are thousands of blocks later. Undefined where no code of the token asks for the number of a block. */
export async function counted(
  stage: Stage,
  seller: Bought,
  { own, delegates }: Code,
): Promise<Counted | undefined> {
  const codes: [Bought['buyer']['address'], Hex][] = [
    [stage.pool.token, own],
    ...delegates.map(({ address, code }): [Bought['buyer']['address'], Hex] => [address, code]),
  ]
  const changed = codes.flatMap(([address, code]) => {
    const copy = withSecondsForBlocks(code)
    return copy === undefined ? [] : [[address, { code: copy }] as const]
  })
  if (!changed.length) return undefined
  const sale: TriedSale = { seller, amount: seller.got / 8n || 1n, gas: plenty }
  const read = readCall(stage, seller.buyer.address)
  const calls = [read, trade(stage, 'sell', seller.buyer, sale.amount), read]
  const told = await simulated(
    ...([stage.nodes, stage.head, { ...lentTo(stage), ...Object.fromEntries(changed) }] as const),
    [
      purchaseBlock(stage, [approval(stage, seller)]),
      ...distances.map((seconds, i): SimulatedBlock => ({ blocks: 2 + i, seconds: seconds + 1, calls })),
    ],
  )
  const [atOnce, ...later] = (told?.slice(1) ?? []).map(outcomes => saleIn(stage, sale, outcomes))
  return atOnce && later.length ? { atOnce, later, blocks: distances.slice(1) } : undefined
}

/** In seconds, which the token takes for blocks. No multiples of each other: some let out in a part of each thousand. */
const distances = [12, 5_003, 52_021, 1_203_017]
