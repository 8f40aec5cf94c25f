/** Tells from the log alone who holds which duty. All processes that have read as far say the same. */
import type { DutyBeat } from '../../../schemas/duties.ts'

export class Roster {
  /** `at` is the last word of the holder, by the log's clock. */
  readonly #holders = new Map<string, { by: string; at: number }>()
  readonly #deadMs: number
  /** The log's time, as far as it was read. */
  #now = 0

  /** After a silence of `deadMs` a run is dead, and its duties are free. */
  constructor(deadMs: number) {
    this.#deadMs = deadMs
  }

  hear({ by, held }: DutyBeat, at: number): void {
    this.#now = Math.max(this.#now, at)
    for (const [duty, holder] of this.#holders)
      if (holder.by === by && !held.includes(duty)) this.#holders.delete(duty)
    for (const duty of held) if (this.mayHold(by, duty)) this.#holders.set(duty, { by, at })
  }

  holds(by: string, duty: string): boolean {
    return this.#holders.get(duty)?.by === by
  }

  mayHold(by: string, duty: string): boolean {
    return this.holds(by, duty) || this.isFree(duty)
  }

  isFree(duty: string): boolean {
    const holder = this.#holders.get(duty)
    return holder === undefined || this.#now - holder.at > this.#deadMs
  }
}
