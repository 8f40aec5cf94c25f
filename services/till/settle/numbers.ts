/** Numbers the transactions of one key. The chain counts them; we remember what it has shown. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EvmSender, evmAccountOf } from '../../../pipelines/domains/payments/evm/sender.ts'

const patienceMs = 5000
const pauseMs = 250
/** By then the payments of a transaction that a chain has taken back have expired. */
const memoryMs = 10 * 60_000

export class Numbers {
  readonly #sender: EvmSender
  readonly #address: ReturnType<typeof evmAccountOf>['address']
  #next = 0
  #seenAt = Number.NEGATIVE_INFINITY

  constructor(sender: EvmSender, address: ReturnType<typeof evmAccountOf>['address']) {
    this.#sender = sender
    this.#address = address
  }

  /**
   * The next number. A node that is behind tells an older one, and so does a chain that takes a transaction back: under that number the
   * payments that we called settled wait for their block, and nothing may take their place. Undefined then.
   */
  async next(): Promise<number | undefined> {
    const until = performance.now() + patienceMs
    for (;;) {
      const count = await this.#sender.countOf(this.#address)
      if (count >= this.#next || performance.now() - this.#seenAt > memoryMs) return count
      if (performance.now() > until) return undefined
      await sleep(pauseMs)
    }
  }

  /** The chain has shown a transaction with this number. */
  shown(number: number): void {
    this.#next = number + 1
    this.#seenAt = performance.now()
  }
}
