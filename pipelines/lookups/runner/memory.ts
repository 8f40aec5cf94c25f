/** Holds a bounded number of fetched values, in the order of their last question. */
import { Bounded } from '../../rails/bounded.ts'
import type { KeptValue, Lasting } from '../lookup.ts'

export interface RememberedValue<Value> extends KeptValue<Value> {
  /** From this time on a question starts a renewal, and still gets this value. */
  renewFrom: number
  freshUntil: number
  staleUntil: number
  /** Its demand: the questions since the last renewal, and half of the demand before it. */
  asked: number
}

/** What one lookup may hold. The lookup itself says how many values. */
const mostBytes = 64_000_000

export class Memory<Value> {
  readonly #values: Bounded<RememberedValue<Value>>

  constructor(most: number) {
    this.#values = new Bounded({
      most,
      mostWeight: mostBytes,
      weigh: ({ value }) => 2 * (JSON.stringify(value) ?? '').length,
    })
  }

  get size(): number {
    return this.#values.size
  }

  peek(name: string): RememberedValue<Value> | undefined {
    return this.#values.peek(name)
  }

  /** Finds a value for somebody who asks for it, and counts the question. */
  ask(name: string): RememberedValue<Value> | undefined {
    const found = this.#values.ask(name)
    if (found) found.asked += 1
    return found
  }

  put(
    name: string,
    { value, at }: KeptValue<Value>,
    { freshMs, staleMs, renewMs = freshMs * 0.8 }: Lasting,
  ): RememberedValue<Value> {
    const before = this.#values.peek(name)
    const remembered = {
      value,
      at,
      renewFrom: at + renewMs,
      freshUntil: at + freshMs,
      staleUntil: at + Math.max(freshMs, staleMs),
      asked: before ? before.asked >> 1 : 0,
    }
    this.#values.set(name, remembered)
    return remembered
  }

  /** The names of values in demand that lapse soon, the most asked for first. */
  due(now: number, most: number): string[] {
    return [...this.#values]
      .filter(([, { asked }]) => asked > 1)
      .sort(([, a], [, b]) => b.asked - a.asked)
      .slice(0, most)
      .filter(([, { renewFrom, staleUntil }]) => renewFrom <= now && now < staleUntil)
      .map(([name]) => name)
  }
}
