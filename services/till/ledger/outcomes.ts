/** Gathers the outcomes of purchases, and tries to write them until the log has them. No call waits for it. */
import type { Entry, Log } from '../../../pipelines/rails/log/log.ts'
import { traceparent } from '../../../pipelines/rails/tracing/tracing.ts'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import type { Purchase } from './purchase.ts'

interface OutcomesOptions {
  log: Log
  /** Undefined if there is nothing to write yet. */
  recordOf(purchase: Purchase): Entry | undefined
  onError(error: unknown): void
}

/** Most answers are delivered within this time, so one record holds outcome and delivery. */
const gatherMs = 10
const againMs = 1000
/** What waits for a log that takes promises and no settlements, about 1.5 KB a sale. With so much nothing more is sold. */
const mostToldBytes = 64 << 20
/** The ends of what was sold before have room beyond it. */
const mostEndingBytes = 128 << 20
/** The purchases, and the steps, that wait for it. */
const mostKept = 50_000
/** No append is larger than any log takes. */
const mostTogether = 1000

export class Outcomes {
  readonly #options: OutcomesOptions
  #purchases = new Set<Purchase>()
  #settlements: Entry[] = []
  #toldBytes = 0
  /** Steps that are no state of a purchase. */
  #steps: Entry[] = []
  /** Those of the append under way. */
  #taking: readonly Purchase[] = []
  /**
   * Analysts do not know how they ended, by payment. So the log does not learn it either: the next run finds it on the chain, and
   * tells both.
   */
  readonly #untold = new Map<string, Purchase>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isClosed = false

  constructor(options: OutcomesOptions) {
    this.#options = options
  }

  /** True if the log takes too little of what happens. */
  get isFull(): boolean {
    return this.#toldBytes > mostToldBytes || Math.max(this.#purchases.size, this.#untold.size) >= mostKept
  }

  /** Their promises are open in the log, whatever this run knows of them. */
  *unwritten(): Generator<Purchase> {
    yield* this.#untold.values()
    yield* this.#taking
    yield* this.#purchases
  }

  /** Adds a purchase. The write takes its state at that time. Without room its promise stays open in the log. */
  add(purchase: Purchase): void {
    if (this.#purchases.size >= mostKept && !this.#purchases.has(purchase)) {
      this.#leaveOut(purchase)
      return
    }
    this.#purchases.add(purchase)
    this.#wake(gatherMs)
  }

  /** Adds a step. The log gets it as it is now. */
  say(step: Entry): void {
    if (this.#steps.length >= mostKept) return
    this.#steps.push(step)
    this.#wake(gatherMs)
  }

  /** Tells analysts, if there is room. They learn of a payment after the fact, so every intent in their tables gets an outcome. */
  tell(purchase: Purchase, events: readonly SettlementEvent[]): boolean {
    if (this.#toldBytes > mostEndingBytes) {
      this.#leaveOut(purchase)
      return false
    }
    const trace = traceparent()
    const headers = trace === undefined ? undefined : { traceparent: trace }
    for (const event of events) {
      const value = JSON.stringify(event)
      this.#toldBytes += value.length
      this.#settlements.push({ key: settlements.keyOf(event), value, ...(headers && { headers }) })
    }
    this.#wake(gatherMs)
    return true
  }

  /** Resolves once it has tried to write everything that was added before. */
  async write(): Promise<void> {
    await this.#writing
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  async close(): Promise<void> {
    await this.write()
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #leaveOut(purchase: Purchase): void {
    if (this.#isUntold(purchase)) return
    this.#untold.set(purchase.spendId, purchase)
    const message = `the log takes no settlements: that of ${purchase.requestId} is left to the next run`
    this.#options.onError(new Error(message))
  }

  #isUntold(purchase: Purchase): boolean {
    return this.#untold.get(purchase.spendId) === purchase
  }

  #wake(afterMs: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.write(), afterMs)
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { log } = this.#options
    const hasTold = this.#settlements.length > 0
    const telling = this.#surely(() => this.#writeTold())
    // A run that is killed here has no open purchase to tell of once the ledger has the outcome. On a log of one process both appends
    // share a commit. On another one an append ends, whatever becomes of it.
    if (!log.isOwned && hasTold) await telling
    await Promise.all([telling, this.#surely(() => this.#writeKept())])
  }

  /** A rail breaks after the fact. The fact stays, and its records still have to be written. */
  async #surely(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#wake(againMs)
      this.#options.onError(error)
    }
  }

  async #writeTold(): Promise<void> {
    for (let left = this.#settlements.length; left > 0; left -= mostTogether) {
      const told = this.#settlements.slice(0, Math.min(left, mostTogether))
      await this.#options.log.append(settlements.topic, told)
      // New ones stand behind them.
      this.#settlements.splice(0, told.length)
      for (const { value } of told) this.#toldBytes -= value?.length ?? 0
    }
  }

  async #writeKept(): Promise<void> {
    const { log, recordOf } = this.#options
    for (let left = Math.max(this.#purchases.size, this.#steps.length); left > 0; left -= mostTogether) {
      const steps = this.#steps.splice(0, mostTogether)
      const purchases = [...this.#purchases.values().take(mostTogether)]
      for (const purchase of purchases) this.#purchases.delete(purchase)
      const known = purchases.filter(purchase => !this.#isUntold(purchase))
      const entries = [...steps, ...known.flatMap(purchase => recordOf(purchase) ?? [])]
      this.#taking = known
      try {
        if (entries.length > 0) await log.append(tillPromises.topic, entries)
        // What the same payment has bought since stands in the place of what was left out.
        for (const { spendId } of known) this.#untold.delete(spendId)
      } catch (error) {
        for (const purchase of purchases) this.#purchases.add(purchase)
        this.#steps.unshift(...steps)
        throw error
      } finally {
        this.#taking = []
      }
    }
  }
}
