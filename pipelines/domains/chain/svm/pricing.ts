/** Finds the pools of tokens, and reads them beside whatever else is asked for, at one slot. */
import { Decimal, unit } from '../dollars.ts'
import { Kept } from '../kept.ts'
import type { SvmNodes } from './nodes.ts'
import { type Finding, type Found, findPools, sized, type Wanted } from './pools/finding.ts'
import { areFew, type Reading, readPools } from './pools/reading.ts'
import { settingsOf } from './pools/settings.ts'
import type { Settings } from './pools/venue.ts'
import { dollars, quoteDecimals, quotes, quotesOf, solPrice } from './priced-pool.ts'
import { wrappedSol } from './programs.ts'

const settingsMs = 3_600_000
const poolsMs = 300_000
/** The first pool of a new token may open at any moment. */
const noPoolsMs = 5000
const bounds = { most: 5000, mostBytes: 32_000_000 }
/** Two pools that price SOL are read beside those of a token. */
const solPools = 2

export interface Pricing {
  /** The pools of a token, and in the same reading whatever else is asked for. */
  read(token: string, beside: readonly string[]): Promise<Reading & Pick<Finding, 'isPartial'>>
  /** The largest pools of several tokens, a few tokens in each reading. */
  readMany(tokens: readonly string[]): Promise<ReadonlyMap<string, Reading>>
}

export function openPricing(nodes: SvmNodes): Pricing {
  const kept = new Kept(nodes.now, bounds)
  const inMs = (ms: number) => () => nodes.now() + ms
  const settings = (): Promise<Settings> => kept.ask('settings', () => settingsOf(nodes), inMs(settingsMs))
  const wantedOf = (token: string, everywhere: boolean): Wanted => ({
    token,
    quotes: quotesOf(token),
    everywhere,
    listed: everywhere && !quotes.includes(token),
  })
  /** They change seldom. */
  const find = (token: string): Promise<Finding> =>
    kept.ask(
      `pools ${token}`,
      async () => {
        const found = await findPools(nodes, await settings(), [wantedOf(token, true)])
        const [finding] = found as [Finding]
        // A few pools are all read, whatever their size. Those of SOL are not, because two of them are read with every token.
        if (!quotes.includes(token) && areFew(finding.pools)) return finding
        const [measured] = await sized(nodes, found)
        return measured as Finding
      },
      ({ pools }) => nodes.now() + (pools.length ? poolsMs : noPoolsMs),
    )
  const findMany = (tokens: readonly string[]): Promise<Finding[]> =>
    kept.ask(
      `pools of many ${tokens.join()}`,
      async () =>
        sized(
          nodes,
          await findPools(
            nodes,
            await settings(),
            tokens.map(token => wantedOf(token, false)),
          ),
        ),
      inMs(poolsMs),
    )
  /** For the order of pools only. The price itself is made of one reading. */
  let solUsd = new Decimal(0)
  const worth = ({ quote, quoteHeld = 0n }: Found) =>
    new Decimal(String(quoteHeld))
      .div(unit(quoteDecimals[quote] ?? 0))
      .mul(dollars.includes(quote) ? 1 : solUsd)
  const bySize = (pools: readonly Found[]) => [...pools].sort((a, b) => worth(b).cmp(worth(a)))

  async function solPricing(token: string): Promise<Found[]> {
    if (token === wrappedSol) return []
    const { pools } = await find(wrappedSol)
    const first = bySize(pools).slice(0, solPools)
    if (solUsd.isZero() && first.length) solUsd = solPrice(await readPools(nodes, first, [])) ?? solUsd
    return first
  }

  return {
    async read(token, beside) {
      const [ofSol, { pools, isPartial }] = await Promise.all([solPricing(token), find(token)])
      const reading = await readPools(nodes, [...ofSol, ...bySize(pools)], beside)
      solUsd = solPrice(reading) ?? solUsd
      return { ...reading, isPartial }
    },
    async readMany(tokens) {
      const ofSol = (await solPricing('')).slice(0, 1)
      const found = await findMany(tokens)
      const largest = found.map(({ pools }) => bySize(pools)[0])
      const readings = new Map<string, Reading>()
      for (let i = 0; i < tokens.length; i += atOnce) {
        const part = largest.slice(i, i + atOnce).filter(one => one !== undefined)
        const reading = await readPools(nodes, [...ofSol, ...part], [])
        for (const token of tokens.slice(i, i + atOnce)) readings.set(token, reading)
      }
      return readings
    },
  }
}

/** Each of the largest pools takes up to 13 accounts of a call. */
const atOnce = 6
