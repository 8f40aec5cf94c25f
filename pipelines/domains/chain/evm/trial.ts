/**
 * Tries a token as buyers do: new accounts buy through the router of its pool, and sell in the same block, in the next, a day
 * and a half and a month later. All of it happens on a copy of the state, in two simulations: how much a buyer gets is known after the first.
 */
import type { Address } from 'viem'
import { centsText, Decimal } from '../dollars.ts'
import type { ChainWarning } from '../reader.ts'
import type { Code } from './code.ts'
import { counted, endured } from './endurance.ts'
import type { EvmBlock } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { Coins, EvmPricedPool } from './prices.ts'
import { probed } from './prober.ts'
import { type SimulatedCall, type SimulatedOutcome, simulated } from './simulate.ts'
import {
  type Bought,
  heldIn,
  purchaseIn,
  type SaleTried,
  saidBy,
  saleIn,
  type TriedSale,
} from './trial-reading.ts'
import { approveData, tradeData } from './trial-route.ts'
import {
  approvedFor,
  fewestPieces,
  lentTo,
  little,
  plenty,
  purchaseBlock,
  readCall,
  type Stage,
  secondsOfBlock,
  stageOf,
  thrifty,
} from './trial-stage.ts'
import { type Endured, judged, type Tried, type Verdict } from './trial-verdict.ts'

export type TokenTrial =
  | { tried: false; why: string }
  /** `how`: what was tried, in a sentence. */
  | (Verdict & { tried: true; how: string; powers: ChainWarning[] })

/** Used if the caller names no amount. */
export const usualDollars = 100
/** At another hour of the next day: some close for a part of each day. A node simulates at most 256 blocks, with those between ours. */
const later = { blocks: 200, seconds: 129_600 }
const month = { blocks: 220, seconds: 31 * 86_400 }

export async function tried(
  nodes: EvmNodes,
  deepest: EvmPricedPool,
  coins: Coins,
  amountUsd: number,
  block: EvmBlock,
  behind: { code: Promise<Code>; owner: Address | null },
): Promise<TokenTrial> {
  const least = deepest.pieceUsd.mul(fewestPieces)
  if (least.gt(deepest.depthUsd))
    return {
      tried: false,
      why: `${fewestPieces} of its smallest pieces are worth more than the depth of its pool`,
    }
  const stage = await stageOf(nodes, deepest, coins, Decimal.max(least, amountUsd), block)
  if (!stage) return { tried: false, why: 'no pools lead from the native coin to the pool of the token' }
  const bought = await simulated(nodes, stage.head, lentTo(stage), [purchaseBlock(stage)])
  if (!bought) return { tried: false, why: 'the node does not simulate transactions (eth_simulateV1)' }
  const [[funded, ...rest] = []] = bought
  if (!funded?.ok)
    return { tried: false, why: `its quote token could not be bought: ${saidBy(funded?.data ?? '0x')}` }
  const purchases = stage.buyers.map((buyer, i) => purchaseIn(buyer, rest.slice(i * 4, i * 4 + 4)))
  const sellers = sellersOf(purchases)
  const [sales, powers, long, blocks] = sellers
    ? await Promise.all([
        soldInWords(stage, sellers),
        behind.code.then(code => probed(stage, sellers, code, behind.owner)),
        endured(stage, sellers.main),
        behind.code.then(code => counted(stage, sellers.main, code)),
      ])
    : [undefined, []]
  if (sellers && !sales) return { tried: false, why: 'the node does not simulate the sales' }
  const verdict = judged({ purchases, steps: {}, others: [], ...sales, endured: long, counted: blocks })
  return { tried: true, ...verdict, powers, how: howOf(stage, purchases, sellers, long) }
}

interface Sellers {
  /** Sells in steps. */
  main: Bought
  /** Each sells all, in the next block. */
  others: readonly Bought[]
}

/** The largest purchase up to the usual amount is sold in steps; the ones beside it at once. */
function sellersOf(purchases: readonly Bought[]): Sellers | undefined {
  const bought = purchases.filter(({ ok }) => ok)
  const main = bought.find(each => each !== purchases[0]) ?? bought[0]
  if (!main) return undefined
  const at = bought.indexOf(main)
  return { main, others: [bought[at - 1], bought[at + 1]].filter(each => each !== undefined) }
}

/** The router of Uniswap v2 keeps the token's words to itself, so a sale that failed is tried with ours, which passes them on. */
async function soldInWords(stage: Stage, sellers: Sellers): Promise<Sales | undefined> {
  const sales = await soldBy(stage, sellers)
  const all = sales && triesOf(sales)
  if (!stage.real || !all || all.every(each => each?.ok !== false)) return sales
  const again = await soldBy({ ...stage, real: false }, sellers)
  const words = again ? triesOf(again) : []
  all.forEach((each, i) => {
    if (each && !each.ok && words[i]?.ok === false) each.reason = words[i].reason
  })
  return sales
}

const triesOf = ({
  steps: { atOnce, next, later, month },
  laterTenth,
  others,
}: Sales): (SaleTried | undefined)[] => [
  ...[atOnce, next, later, month, laterTenth],
  ...others.flatMap(({ all, tenth }) => [all, tenth]),
]

interface Sales {
  steps: Partial<Record<'atOnce' | 'next' | 'later' | 'month', SaleTried | undefined>>
  laterTenth: SaleTried | undefined
  others: { all: SaleTried; tenth: SaleTried }[]
  /** By how many atoms a holding has changed in a day and a half without a transfer. */
  grown: bigint
}

const saleCalls = (stage: Stage, { seller, amount, gas }: TriedSale): SimulatedCall[] => {
  const { address } = seller.buyer
  const data = tradeData(stage.pool, 'sell', amount, address, stage.wrapped, stage.real)
  return [readCall(stage, address), { from: address, to: stage.router, data, gas }, readCall(stage, address)]
}

/** A piece less than everything: some honest tokens round by one. */
const nearly = (amount: bigint): bigint => amount - amount / 1000n

async function soldBy(stage: Stage, { main, others }: Sellers): Promise<Sales | undefined> {
  const approvals = [main, ...others].map(
    ({ buyer, got }): SimulatedCall => ({
      ...{ from: buyer.address, to: stage.pool.token, gas: little },
      data: approveData(stage.router, approvedFor(got)),
    }),
  )
  const quarter = main.got / 4n
  const next = quarter || 1n
  const left = main.got - quarter - next
  const last = (left * 4n) / 5n || left
  const kept = left - last
  const sale = (seller: Bought, amount: bigint, gas = plenty): TriedSale => ({ seller, amount, gas })
  const plan = {
    atOnce: quarter > 0n ? [sale(main, quarter)] : [],
    next: [
      sale(main, next),
      ...others.flatMap((each, i) => [
        sale(each, nearly(each.got), i === others.length - 1 && i > 0 ? thrifty : plenty),
        sale(each, each.got / 10n || 1n),
      ]),
    ],
    later: last > 0n ? [sale(main, last), sale(main, last / 10n || 1n)] : [],
    month: kept > 0n ? [sale(main, (kept * 2n) / 5n || kept)] : [],
  }
  const callsOf = (sales: readonly TriedSale[]) => sales.flatMap(each => saleCalls(stage, each))
  const soon = secondsOfBlock(stage)
  const blocks = await simulated(stage.nodes, stage.head, lentTo(stage), [
    purchaseBlock(stage, [...approvals, ...callsOf(plan.atOnce)]),
    { blocks: 2, seconds: 2 * soon, calls: [...callsOf(plan.next), readCall(stage, main.buyer.address)] },
    ...(plan.later.length ? [{ ...later, calls: callsOf(plan.later) }] : []),
    ...(plan.month.length ? [{ ...month, calls: callsOf(plan.month) }] : []),
  ])
  if (!blocks) return undefined
  const [first = [], second = [], third = [], fourth = []] = blocks
  const before = first.length - 3 * plan.atOnce.length
  const read = (sales: readonly TriedSale[], outcomes: readonly SimulatedOutcome[]) =>
    sales.map((each, i) => saleIn(stage, each, outcomes.slice(3 * i, 3 * i + 3)))
  const [dayBefore, dayAfter] = [second.at(-1), third[0]].map(each => each && heldIn(each)?.buyer)
  const [atOnce] = read(plan.atOnce, first.slice(before))
  const [nextSale, ...rest] = read(plan.next, second)
  const [laterSale, laterTenth] = read(plan.later, third)
  const [monthSale] = read(plan.month, fourth)
  const pairs = others.map((_, i) => ({ all: rest[2 * i] as SaleTried, tenth: rest[2 * i + 1] as SaleTried }))
  return {
    steps: { atOnce, next: nextSale, later: laterSale, month: monthSale },
    laterTenth,
    others: pairs,
    grown: dayBefore !== undefined && dayAfter !== undefined ? dayAfter - dayBefore : 0n,
  }
}

function howOf(
  { router, real }: Stage,
  purchases: readonly Bought[],
  sellers: Sellers | undefined,
  long: Endured | undefined,
): string {
  const amounts = (tries: readonly Tried[]) => tries.map(({ dollars }) => `$${centsText(dollars)}`).join(', ')
  const way = real ? `the router ${router}` : `the address of the router ${router}`
  const bought = `${purchases.length} new accounts tried to buy, for ${amounts(purchases)}, through ${way}`
  if (!sellers) return bought
  const { main, others } = sellers
  const beside = others.length ? `; those of ${amounts(others)} sold in the next block` : ''
  const often = long ? `; beside that, it sold in ${long.ends.length} pieces through a year` : ''
  return `${bought}; that of ${amounts([main])} sold in the same block, in the next, a day and a half and a month later${beside}${often}`
}
