/** Tells from the log alone which process holds which duty. Processes that have read equally far agree. */
import type { DutyBeat } from '../../../schemas/duties.ts'

export class Roster {
  /** `at` is the time of the holder's last word, by the log's clock. */
  readonly #holders = new Map<string, { by: string; at: number }>()
  readonly #deadMs: number
  /** The newest time in the log so far. */
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
