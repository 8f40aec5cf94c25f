/** What the log says of purchases: the budget of a day is counted from there alone, by every canary alike. */
import { eventsIn } from '../../pipelines/rails/log/events.ts'
import { entryOf, type Log, type Watching } from '../../pipelines/rails/log/log.ts'
import { type CanaryPurchase, canaryPurchases } from '../../schemas/canary-purchases.ts'
import { atomsOf } from '../client/quote.ts'

type FactsLog = Pick<Log, 'append' | 'watch'>

/** By the day, in the order of the log: an intent counts if it fits into what those before it have left. */
export class CanaryFacts {
  readonly #log: FactsLog
  readonly #aDay: bigint
  readonly #spent = new Map<string, bigint>()
  /** Whether an intent counts. */
  readonly #counts = new Map<string, boolean>()
  readonly #heard = new Map<string, PromiseWithResolvers<boolean>>()
  #watching: Watching | undefined

  private constructor(log: FactsLog, aDay: bigint) {
    this.#log = log
    this.#aDay = aDay
  }

  static async open(log: FactsLog, aDay: bigint): Promise<CanaryFacts> {
    const facts = new CanaryFacts(log, aDay)
    facts.#watching = await log.watch(canaryPurchases.topic, batch => {
      for (const { event } of eventsIn(canaryPurchases, batch)) facts.#take(event)
    })
    await Promise.race([facts.#watching.caughtUp, facts.#watching.ended])
    return facts
  }

  get ended(): Promise<unknown> {
    return this.#watching?.ended ?? Promise.resolve()
  }

  spentOn(day: string): bigint {
    return this.#spent.get(day) ?? 0n
  }

  async tell(purchase: CanaryPurchase): Promise<void> {
    await this.#log.append(canaryPurchases.topic, [entryOf(canaryPurchases, purchase)])
  }

  /**
   * Resolves once the log shows the intent: true if the budget of its day has room for it. Rejects if the log does not show it in
   * time. Then nothing may be paid, and what was written is counted all the same.
   */
  async intend(intent: CanaryPurchase, signal: AbortSignal): Promise<boolean> {
    const heard = Promise.withResolvers<boolean>()
    this.#heard.set(intent.purchase_id, heard)
    const late = () => heard.reject(signal.reason)
    signal.addEventListener('abort', late, { once: true })
    try {
      await this.tell(intent)
      return await heard.promise
    } finally {
      signal.removeEventListener('abort', late)
      this.#heard.delete(intent.purchase_id)
    }
  }

  async close(): Promise<void> {
    await this.#watching?.close()
  }

  #take({ state, purchase_id, at, price_usdc }: CanaryPurchase): void {
    if (state !== 'intended' || this.#counts.has(purchase_id)) return
    const day = at.slice(0, 10)
    const after = (this.#spent.get(day) ?? 0n) + atomsOf(price_usdc)
    const counts = after <= this.#aDay
    this.#counts.set(purchase_id, counts)
    if (counts) this.#spent.set(day, after)
    this.#heard.get(purchase_id)?.resolve(counts)
  }
}
