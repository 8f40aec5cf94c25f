/** Gathers the outcomes of purchases, and tries to write them until the log has them. No call waits for it. */
import { setTimeout as sleep } from 'node:timers/promises'
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
/** The ledger waits no longer for a topic of analysts that takes nothing. */
const firstMs = 1000

export class Outcomes {
  readonly #options: OutcomesOptions
  #purchases = new Set<Purchase>()
  #settlements: Entry[] = []
  /** Steps that are no state of a purchase. */
  #steps: Entry[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isClosed = false

  constructor(options: OutcomesOptions) {
    this.#options = options
  }

  /** Adds a purchase. The write takes its state at that time. */
  add(purchase: Purchase): void {
    this.#purchases.add(purchase)
    this.#wake(gatherMs)
  }

  /** Adds a step. The log gets it as it is now. */
  say(step: Entry): void {
    this.#steps.push(step)
    this.#wake(gatherMs)
  }

  /** Tells analysts. They learn of a payment after the fact, so every intent in their tables gets an outcome. */
  tell(events: readonly SettlementEvent[]): void {
    const trace = traceparent()
    const headers = trace === undefined ? undefined : { traceparent: trace }
    for (const event of events)
      this.#settlements.push({
        key: settlements.keyOf(event),
        value: JSON.stringify(event),
        ...(headers && { headers }),
      })
    this.#wake(gatherMs)
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

  #wake(afterMs: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.write(), afterMs)
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { log, recordOf, onError } = this.#options
    const [purchases, told, steps] = [this.#purchases, this.#settlements, this.#steps]
    if (purchases.size === 0 && told.length === 0 && steps.length === 0) return
    this.#purchases = new Set()
    this.#settlements = []
    this.#steps = []
    // A rail breaks after the fact. The fact stays, and its records still have to be written.
    const again = (keep: () => void) => (error: unknown) => {
      keep()
      this.#wake(againMs)
      onError(error)
    }
    const telling = log.append(settlements.topic, told).catch(again(() => this.#settlements.unshift(...told)))
    // A run that is killed here has no open purchase to tell of once the ledger has the outcome. On a log of one process both appends
    // share a commit.
    if (!log.isOwned && told.length > 0)
      await Promise.race([telling, sleep(firstMs, undefined, { ref: false })])
    const keeping = log
      .append(tillPromises.topic, [...steps, ...[...purchases].flatMap(purchase => recordOf(purchase) ?? [])])
      .catch(
        again(() => {
          for (const purchase of purchases) this.#purchases.add(purchase)
          this.#steps.unshift(...steps)
        }),
      )
    await Promise.all([telling, keeping])
  }
}
