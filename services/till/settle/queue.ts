/** Payments that wait for a transaction. Those of keys go together; a payer with code goes alone. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rider } from './rider.ts'
import { reasons } from './settler.ts'

/** Others that come in this time go with the first one. */
const windowMs = 250
export const mostTogether = 100

export class Queue {
  #together: Rider[] = []
  #alone: Rider[] = []
  #lastWasAlone = false
  readonly #idle = new Set<() => void>()
  readonly #windowMs: number

  constructor(waitMs = windowMs) {
    this.#windowMs = waitMs
  }

  put(rider: Rider): void {
    ;(rider.alone ? this.#alone : this.#together).push(rider)
    this.#wake()
  }

  #wake(): void {
    const [first] = this.#idle
    first?.()
  }

  /** What still waits was never sent, or is left to the chain. */
  close(): void {
    for (const rider of [...this.#together.splice(0), ...this.#alone.splice(0)]) rider.fail(reasons.notSent)
  }

  /** Waits for the next transaction's payments. Empty: it was aborted. `most`: how many they may be. None are left to another key. */
  async take(signal: AbortSignal, most: () => number): Promise<Rider[]> {
    while (!signal.aborted) {
      this.#together = this.#together.filter(rider => rider.mayBeSent())
      this.#alone = this.#alone.filter(rider => rider.mayBeSent())
      const count = most()
      const waitMs = this.#waitMs(count)
      if (waitMs === undefined) await this.#something(signal)
      else if (count === 0) {
        this.#wake()
        await sleep(windowMs)
      } else if (waitMs === 0) return this.#next(count)
      else await sleep(waitMs)
    }
    return []
  }

  /** Undefined: nothing waits. */
  #waitMs(most: number): number | undefined {
    const [first] = this.#together
    if (this.#alone.length || (first && this.#together.length >= most)) return 0
    if (!first) return undefined
    return Math.max(0, Math.ceil(first.arrivedAt + this.#windowMs - performance.now()))
  }

  /** Contracts and keys take turns, so that no crowd of one keeps the other waiting. */
  #next(most: number): Rider[] {
    const takesAlone = this.#alone.length > 0 && (!this.#lastWasAlone || this.#together.length === 0)
    this.#lastWasAlone = takesAlone
    const taken = takesAlone ? this.#alone.splice(0, 1) : this.#together.splice(0, most)
    if (this.#alone.length || this.#together.length) this.#wake()
    return taken
  }

  async #something(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#idle.add(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    this.#idle.delete(resolve)
  }
}
