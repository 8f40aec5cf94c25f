/**
 * When to settle a payment once more after an unknown outcome. The chain takes it once, so the payer is safe. But a facilitator may
 * pay a fee for each try, so the tries are few, and a pause that it asks for is kept.
 */
import type { SettleWord } from '../facilitator/facilitators.ts'
import type { Purchase } from '../ledger/purchase.ts'

/** The pause before each further try. After the last one only the chain can end the purchase. */
const pausesMs = [100, 2000, 8000, 30_000, 120_000, 480_000]
/** The most further tries at once, for all payments together. */
const mostAtOnce = 16

export interface Settling {
  /** Have all who may settle it asked for a pause? */
  isQuiet(): boolean
  again(remainingMs: number): Promise<SettleWord>
}

interface Tries {
  count: number
  /** By this process's monotonic clock. */
  nextAt: number
}

export class Retries {
  readonly #tries = new WeakMap<Purchase, Tries>()
  #underWay = 0

  /** A settlement has an unknown end: the first one, or the latest of `count` further ones. */
  hear(purchase: Purchase, count = 0): void {
    this.#tries.set(purchase, { count, nextAt: performance.now() + (pausesMs[count] ?? 0) })
  }

  /** Tries once more if it is time. Undefined if it is not, or if too many tries run. */
  async settle(
    purchase: Purchase,
    settling: Settling,
    remainingMs = Number.POSITIVE_INFINITY,
  ): Promise<SettleWord | undefined> {
    // An earlier run may have settled it. Its payer asks now, so there is no pause.
    const { count, nextAt } = this.#tries.get(purchase) ?? { count: 0, nextAt: 0 }
    const isEarly = performance.now() < nextAt || settling.isQuiet()
    if (isEarly || count >= pausesMs.length || this.#underWay >= mostAtOnce) return undefined
    this.#underWay++
    try {
      const reply = await settling.again(remainingMs)
      this.hear(purchase, count + 1)
      return reply
    } finally {
      this.#underWay--
    }
  }
}
