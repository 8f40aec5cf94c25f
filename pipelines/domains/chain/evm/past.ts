/**
 * Compares each pool with itself some blocks before, and with its own averages. One large swap makes a price of its choice,
 * and makes the pool look deep as well; it cannot change what the pool was before.
 */
import { chains, type EvmChainName } from '../../../../schemas/tables/chains.ts'
import { type Decimal, timesApart, toUnits } from '../dollars.ts'
import { averageOf, meanOf, midOf, pairDepth } from './curves.ts'
import type { EvmBlock } from './look.ts'
import { lookBack } from './look-back.ts'
import type { EvmNodes } from './nodes.ts'
import { readPools } from './pool-states.ts'
import type { EvmPool } from './pools.ts'
import { concentratedDepths } from './swaps.ts'

/** What a pool was before it moved. Amounts are units of its quote token. */
interface Move {
  mid: Decimal
  /** When it had this price, in words. */
  when: string
  /** Undefined if nobody can tell. */
  depth: Decimal | undefined
}

export interface Moves {
  /** The node has forgotten the earlier block. */
  isUnknown: boolean
  /** The pools that did not exist at the earlier block. */
  young: ReadonlySet<EvmPool>
  /** The pools that have moved by more than the bounds. */
  of: ReadonlyMap<EvmPool, Move>
}

/** How many times dearer or cheaper a pool may be than before, and than its average of 30 minutes. */
const mostMoved = 1.1
const mostOffAverage = 1.5
const spanMs = 300_000
/** Ordinary nodes keep the states of 128 blocks. */
const mostBlocks = 100

/** The number of blocks that a pool is looked back. A move that is older is its price. */
export const spanOf = (chain: EvmChainName): number =>
  Math.min(mostBlocks, Math.ceil(spanMs / chains[chain].blockMs))

/** `placesOf`: the decimals of a token, if it has any. */
export async function movesOf(
  nodes: EvmNodes,
  pools: readonly EvmPool[],
  placesOf: (pool: EvmPool) => number | undefined,
  block: EvmBlock,
): Promise<Moves> {
  const past = await pastOf(nodes, pools, block)
  const moved = await Promise.all(
    pools.map(async pool => {
      const decimals = placesOf(pool)
      if (decimals === undefined) return []
      const before = past?.poolOf(pool)
      const said = farOff(midOf(pool, decimals), [
        ...(past && before ? past.said(pool, before, decimals) : []),
        ...(pool.form === 'concentrated'
          ? [{ mid: averageOf(pool, decimals), when: 'on average over 30 minutes', most: mostOffAverage }]
          : []),
      ])
      if (!said) return []
      const depth = past && before && (await depthOf(nodes, before, decimals, past.number))
      return [[pool, { ...said, depth }] as const]
    }),
  )
  const young = past ? pools.filter(pool => !past.poolOf(pool)) : []
  return { isUnknown: past === undefined, young: new Set(young), of: new Map(moved.flat()) }
}

interface Said {
  mid: Decimal | null | undefined
  when: string
  most: number
}

/** The first earlier price that is too far from the price now. */
const farOff = (now: Decimal, said: readonly Said[]) =>
  said.flatMap(({ mid, when, most }) =>
    mid?.gt(0) && timesApart(now, mid).gt(most) ? [{ mid, when }] : [],
  )[0]

const nameOf = ({ address, token }: EvmPool) => `${address} ${token}`.toLowerCase()

/** Undefined if the node has forgotten the earlier block. */
async function pastOf(nodes: EvmNodes, pools: readonly EvmPool[], block: EvmBlock) {
  const number = Math.max(1, block.number - spanOf(nodes.chain))
  const plan = readPools(pools)
  if (!plan.calls.length || number === block.number)
    return { number, poolOf: () => undefined, said: () => [] as Said[] }
  const sight = await lookBack(nodes, plan.calls, number)
  if (!sight) return undefined
  const then = new Map(plan.read(sight.returned).map(pool => [nameOf(pool), pool]))
  const blocks = `${block.number - number} blocks`
  return {
    number,
    poolOf: (pool: EvmPool) => then.get(nameOf(pool)),
    said(pool: EvmPool, before: EvmPool, decimals: number): Said[] {
      const mean =
        pool.form === 'pair' && before.form === 'pair'
          ? meanOf(pool, block.atMs, before, sight.atMs, decimals)
          : undefined
      return [
        { mid: midOf(before, decimals), when: `${blocks} before`, most: mostMoved },
        { mid: mean, when: `on average over ${blocks}`, most: mostMoved },
      ]
    },
  }
}

async function depthOf(nodes: EvmNodes, pool: EvmPool, decimals: number, number: number) {
  if (pool.form === 'pair') return pairDepth(pool, decimals)
  try {
    const [depth = 0n] = await concentratedDepths(nodes, [pool], { number })
    return toUnits(depth, pool.quote.decimals)
  } catch {
    // The node no longer has the state of that block. The answer has the earlier price without its depth.
    return undefined
  }
}
