/** The heads of an EVM chain that were seen, which show from when on it has other blocks than it had. */
import type { ChainHead, EvmReader } from './reader.ts'

/** Some 40 minutes of looks. A reorganisation that goes deeper is told from the final head on. */
const mostHeads = 600

export class Heads {
  readonly #reader: Pick<EvmReader, 'head'>
  /** The oldest first. */
  #seen: ChainHead[] = []

  constructor(reader: Pick<EvmReader, 'head'>) {
    this.#reader = reader
  }

  /** The time from which on the chain has other blocks than at the last look. */
  async look(latest: ChainHead, final: ChainHead, signal: AbortSignal): Promise<number | undefined> {
    const undoneMs = await this.#undoneSince(latest, final, signal)
    const first = this.#seen.findLastIndex(({ block }) => block <= final.block)
    this.#seen = this.#seen.slice(Math.max(first, this.#seen.length - mostHeads, 0))
    if (latest.block > (this.#seen.at(-1)?.block ?? -1)) this.#seen.push(latest)
    return undoneMs
  }

  async #undoneSince(latest: ChainHead, final: ChainHead, signal: AbortSignal): Promise<number | undefined> {
    let kept = this.#seen.length
    const told = (sinceMs: number) => {
      const isUndone = kept < this.#seen.length
      this.#seen = this.#seen.slice(0, kept)
      return isUndone ? sinceMs : undefined
    }
    for (; kept > 0; kept--) {
      const last = this.#seen[kept - 1] as ChainHead
      if (last.block < final.block) break
      // This node is behind the one that was asked before. The next look tells more.
      if (last.block > latest.block) return undefined
      const { hash } = last.block === latest.block ? latest : await this.#reader.head(last.block, signal)
      if (hash === last.hash) return told(last.atMs)
    }
    return told(final.atMs)
  }
}
