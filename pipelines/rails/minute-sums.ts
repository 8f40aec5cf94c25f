/** Counts of a process by their names, until they are taken as rows of one telling. */
import { randomUUID } from 'node:crypto'
import { instant } from '../../schemas/values/values.ts'

/** A minute of a full house has some hundreds. The names are of the operator and of the code. */
const mostSums = 5000
const minuteMs = 60_000

/** The place of a row: told again, it counts once. */
interface Told {
  minute: string
  instance: string
  part: number
}

export class MinuteSums<Sum extends object> {
  readonly #instance = randomUUID()
  readonly #now: () => number
  #sums = new Map<string, Sum>()
  #sinceMs = 0
  #part = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get isFull(): boolean {
    return this.#sums.size >= mostSums
  }

  of(key: string): Sum | undefined {
    return this.#sums.get(key)
  }

  add(key: string, sum: Sum): Sum {
    if (this.#sums.size === 0) this.#sinceMs = this.#now()
    this.#sums.set(key, sum)
    return sum
  }

  /** Takes what was counted since the last time. */
  take(): (Told & Sum)[] {
    const sums = [...this.#sums.values()]
    if (sums.length === 0) return []
    this.#sums = new Map()
    this.#part += 1
    const minute = instant(Math.floor(this.#sinceMs / minuteMs) * minuteMs)
    return sums.map(sum => ({ minute, instance: this.#instance, part: this.#part, ...sum }))
  }
}
