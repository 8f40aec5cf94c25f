/** The pools of a token. They rarely change, so all callers of the same minutes share one search. */
import { Kept } from '../kept.ts'
import type { SvmNodes } from './nodes.ts'
import { findPools, type PoolFinding, sized, type WantedPool } from './pools/finder.ts'
import { areFew } from './pools/reader.ts'
import { settingsOf } from './pools/settings.ts'
import type { Settings } from './pools/venue.ts'
import { quotes, quotesOf } from './priced-pool.ts'

const settingsMs = 3_600_000
const poolsMs = 300_000
/** A new token may get its first pool at any moment. */
const noPoolsMs = 5000
const bounds = { most: 5000, mostBytes: 32_000_000 }

export class PoolMemory {
  readonly #nodes: SvmNodes
  readonly #kept: Kept

  constructor(nodes: SvmNodes) {
    this.#nodes = nodes
    this.#kept = new Kept(nodes.now, bounds)
  }

  find(token: string): Promise<PoolFinding> {
    return this.#kept.ask(
      `pools ${token}`,
      async () => {
        const found = await findPools(this.#nodes, await this.#settings(), [wantedOf(token, true)])
        const [finding] = found as [PoolFinding]
        // A small number of pools is read completely, whatever their size. The pools of SOL are not, because two of
        // them are read with every token.
        if (!quotes.includes(token) && areFew(finding.pools)) return finding
        const [measured] = await sized(this.#nodes, found)
        return measured as PoolFinding
      },
      ({ pools }) => this.#nodes.now() + (pools.length ? poolsMs : noPoolsMs),
    )
  }

  findMany(tokens: readonly string[]): Promise<PoolFinding[]> {
    const wanted = tokens.map(token => wantedOf(token, false))
    return this.#kept.ask(
      `pools of many ${tokens.join()}`,
      async () => sized(this.#nodes, await findPools(this.#nodes, await this.#settings(), wanted)),
      () => this.#nodes.now() + poolsMs,
    )
  }

  #settings(): Promise<Settings> {
    return this.#kept.ask(
      'settings',
      () => settingsOf(this.#nodes),
      () => this.#nodes.now() + settingsMs,
    )
  }
}

const wantedOf = (token: string, everywhere: boolean): WantedPool => ({
  token,
  quotes: quotesOf(token),
  everywhere,
  listed: everywhere && !quotes.includes(token),
})
