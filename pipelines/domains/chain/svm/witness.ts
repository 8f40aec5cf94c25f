/** What the looks of one question have read of the first node, and whether lists of accounts were complete. */
import type { Part } from './look.ts'

/** Of a question with more calls, only so many are made again. */
const mostAgain = 3

export type Seen = Part & { areHot: boolean }

export class Witness {
  #parts: Seen[] = []
  /** A second node could not tell which accounts an owner has. */
  isUnlisted = false
  isCut = false

  add(parts: readonly Seen[]): void {
    const all = [...this.#parts, ...parts]
    this.isCut ||= all.length > mostAgain
    // Of pools, what is read later takes the place of what was read at first.
    const [steady, hot] = [false, true].map(areHot => all.filter(part => part.areHot === areHot)) as [
      Seen[],
      Seen[],
    ]
    const kept = steady.slice(0, mostAgain)
    this.#parts = [...kept, ...hot.slice(Math.max(0, hot.length - mostAgain + kept.length))]
  }

  get parts(): readonly Seen[] {
    return this.#parts
  }
}
