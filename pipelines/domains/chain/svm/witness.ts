/** What the looks of one question have read of the first node, and whether lists of accounts were complete. */
import type { Bytes } from './bytes.ts'

/** Of a question with more calls, only so many are made again. */
const mostAgain = 3

export interface SvmAccount {
  /** The program that may write the account. */
  program: string
  lamports: bigint
  executable: boolean
  data: Bytes
}

/** What one call of a node has shown. */
export interface SvmShown {
  slot: number
  accounts: ReadonlyMap<string, SvmAccount>
  addresses: readonly string[]
  source: string
  url: string
}

/** `areHot`: they change with nearly every slot. */
export type SvmWitnessed = SvmShown & { areHot: boolean }

export class SvmWitness {
  #parts: SvmWitnessed[] = []
  /** A second node could not tell which accounts an owner has. */
  isUnlisted = false
  isCut = false

  add(parts: readonly SvmWitnessed[]): void {
    const all = [...this.#parts, ...parts]
    this.isCut ||= all.length > mostAgain
    // Of pools, what is read later takes the place of what was read at first.
    const [steady, hot] = [false, true].map(areHot => all.filter(part => part.areHot === areHot)) as [
      SvmWitnessed[],
      SvmWitnessed[],
    ]
    const kept = steady.slice(0, mostAgain)
    this.#parts = [...kept, ...hot.slice(Math.max(0, hot.length - mostAgain + kept.length))]
  }

  get parts(): readonly SvmWitnessed[] {
    return this.#parts
  }
}
