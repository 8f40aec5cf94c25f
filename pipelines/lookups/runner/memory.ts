/** Holds a bounded number of fetched values, in the order of their last question. */
import type { Kept, Lasting } from '../lookup.ts'

export interface Remembered<Value> extends Kept<Value> {
  /** From this time on a question starts a renewal, and still gets this value. */
  renewFrom: number
  freshUntil: number
  staleUntil: number
  /** Its demand: the questions since the last renewal, and half of the demand before it. */
  asked: number
}

export class Memory<Value> {
  readonly #values = new Map<string, Remembered<Value>>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#values.size
  }

  peek(name: string): Remembered<Value> | undefined {
    return this.#values.get(name)
  }

  /** Finds a value and moves it to the end: values at the beginning are dropped first. */
  ask(name: string): Remembered<Value> | undefined {
    const found = this.#values.get(name)
    if (!found) return undefined
    found.asked += 1
    this.#values.delete(name)
    this.#values.set(name, found)
    return found
  }

  put(
    name: string,
    { value, at }: Kept<Value>,
    { freshMs, staleMs, renewMs = freshMs * 0.8 }: Lasting,
  ): Remembered<Value> {
    const before = this.#values.get(name)
    const remembered = {
      value,
      at,
      renewFrom: at + renewMs,
      freshUntil: at + freshMs,
      staleUntil: at + Math.max(freshMs, staleMs),
      asked: before ? before.asked >> 1 : 0,
    }
    this.#values.delete(name)
    this.#values.set(name, remembered)
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value as string)
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
