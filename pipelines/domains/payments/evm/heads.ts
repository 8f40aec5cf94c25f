/** The heads of an EVM chain that were seen, which show from when on it has other blocks than it had. */
import type { BlockHead, Blocks } from './blocks.ts'

/** Some 40 minutes of looks. A reorganisation that goes deeper is told from the final head on. */
const mostHeads = 600

export class Heads {
  readonly #blocks: Pick<Blocks, 'at'>
  /** The oldest first. */
  #seen: BlockHead[] = []

  constructor(blocks: Pick<Blocks, 'at'>) {
    this.#blocks = blocks
  }

  /** The time from which on the chain has other blocks than at the last look. */
  async look(latest: BlockHead, final: BlockHead, signal: AbortSignal): Promise<number | undefined> {
    const undoneMs = await this.#undoneSince(latest, final, signal)
    const first = this.#seen.findLastIndex(({ number }) => number <= final.number)
    this.#seen = this.#seen.slice(Math.max(first, this.#seen.length - mostHeads, 0))
    if (latest.number > (this.#seen.at(-1)?.number ?? -1n)) this.#seen.push(latest)
    return undoneMs
  }

  async #undoneSince(latest: BlockHead, final: BlockHead, signal: AbortSignal): Promise<number | undefined> {
    let kept = this.#seen.length
    const told = (sinceMs: number) => {
      const isUndone = kept < this.#seen.length
      this.#seen = this.#seen.slice(0, kept)
      return isUndone ? sinceMs : undefined
    }
    for (; kept > 0; kept--) {
      const last = this.#seen[kept - 1] as BlockHead
      if (last.number < final.number) break
      // This node is behind the one that was asked before. The next look tells more.
      if (last.number > latest.number) return undefined
      const { hash } = last.number === latest.number ? latest : await this.#blocks.at(last.number, signal)
      if (hash === last.hash) return told(last.atMs)
    }
    return told(final.atMs)
  }
}
