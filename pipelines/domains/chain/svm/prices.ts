/** Reads the pools of tokens together with other accounts, at one slot. */
import { Decimal, unit } from '../dollars.ts'
import type { SvmNodes } from './nodes.ts'
import { PoolMemory } from './pool-memory.ts'
import type { PoolAt, PoolFinding } from './pools/finder.ts'
import { type PoolReading, readPools } from './pools/reader.ts'
import { dollars, quoteDecimals, solPrice } from './priced-pool.ts'
import { wrappedSol } from './programs.ts'

/** The number of SOL pools that are read with the pools of a token. */
const solPools = 2

export interface Pricing {
  /** The pools of a token, and other accounts in the same read. */
  read(token: string, beside: readonly string[]): Promise<PoolReading & Pick<PoolFinding, 'isPartial'>>
  /** The largest pools of several tokens, a few tokens in each read. */
  readMany(tokens: readonly string[]): Promise<ReadonlyMap<string, PoolReading>>
}

/** What is found stays for all questions. Each question reads with nodes of its own, which write down what they have read. */
export function openPricing(nodes: SvmNodes): (own: SvmNodes) => Pricing {
  const memory = new PoolMemory(nodes)
  /** Only used to sort pools. The price itself comes from one read. */
  let solUsd = new Decimal(0)
  const worth = ({ quote, quoteHeld = 0n }: PoolAt) =>
    new Decimal(String(quoteHeld))
      .div(unit(quoteDecimals[quote] ?? 0))
      .mul(dollars.includes(quote) ? 1 : solUsd)
  const bySize = (pools: readonly PoolAt[]) => [...pools].sort((a, b) => worth(b).cmp(worth(a)))

  async function solPricing(token: string): Promise<PoolAt[]> {
    if (token === wrappedSol) return []
    const { pools } = await memory.find(wrappedSol)
    const first = bySize(pools).slice(0, solPools)
    if (solUsd.isZero() && first.length) solUsd = solPrice(await readPools(nodes, first, [])) ?? solUsd
    return first
  }

  return own => ({
    async read(token, beside) {
      const [ofSol, { pools, isPartial }] = await Promise.all([solPricing(token), memory.find(token)])
      const reading = await readPools(own, [...ofSol, ...bySize(pools)], beside)
      solUsd = solPrice(reading) ?? solUsd
      return { ...reading, isPartial }
    },
    async readMany(tokens) {
      const ofSol = (await solPricing('')).slice(0, 1)
      const found = await memory.findMany(tokens)
      const largest = found.map(({ pools }) => bySize(pools)[0])
      const readings = new Map<string, PoolReading>()
      for (let i = 0; i < tokens.length; i += atOnce) {
        const part = largest.slice(i, i + atOnce).filter(one => one !== undefined)
        const reading = await readPools(own, [...ofSol, ...part], [])
        for (const token of tokens.slice(i, i + atOnce)) readings.set(token, reading)
      }
      return readings
    },
  })
}

/** Each of the largest pools takes up to 13 accounts of a call. */
const atOnce = 6
