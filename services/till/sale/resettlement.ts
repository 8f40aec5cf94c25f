/**
 * Settles a payment once more that its chain has taken back after the sale. Its nonce, or its message, moves money once, so a second
 * try cannot charge twice. What was sold stays sold. The promise holds what it takes, so the next process does it, too.
 */

import { eventsIn } from '../../../pipelines/rails/log/events.ts'
import type { Log, Watching } from '../../../pipelines/rails/log/log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { takenBack } from '../../../schemas/finality.ts'
import type { Facilitators } from '../facilitator/facilitators.ts'
import type { Ledger } from '../ledger.ts'
import type { Settleable } from '../till.ts'
import type { PromisedPayments } from './promised-payments.ts'

interface ResettlementOptions {
  log: Pick<Log, 'watch'>
  facilitators: Pick<Facilitators, 'settleAgain'>
  payments: Pick<PromisedPayments, 'of'>
  /** What another process has sold, which lives, it settles again by itself. */
  ledger: Pick<Ledger, 'isOfAnother'>
  onError(error: unknown): void
}

/** Tries at once: a facilitator that fails must not hold the others up. */
const mostAtOnce = 8
/** After that many have to wait, the chain's own memory of transactions has to do. */
const mostInLine = 1000
const timeoutMs = 20_000
const pausesMs = [2000, 8000, 30_000]

interface Try {
  spendId: string
  /** The same at each try, so that each goes to the facilitator that was asked least. */
  payment: Settleable
  /** Those before it. */
  tries: number
}

export class Resettlement {
  readonly #options: ResettlementOptions
  /** Those that their chain shows nowhere, by the last word of the log. */
  readonly #gone = new Set<string>()
  readonly #line: Try[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #underWay = new Set<Promise<void>>()
  #watching: Watching | undefined
  #isOver = false

  private constructor(options: ResettlementOptions) {
    this.#options = options
  }

  static async open(options: ResettlementOptions): Promise<Resettlement> {
    const own = new Resettlement(options)
    let hasCaughtUp = false
    const watching = await options.log.watch(takenBack.topic, batch => {
      for (const { event } of eventsIn(takenBack, batch)) {
        own.#hear(event.spend_id, event.state === 'taken_back')
        if (hasCaughtUp) own.#begin(event.spend_id)
      }
    })
    own.#watching = watching
    // Without it a payment that is taken back waits for its chain alone, and sales go on.
    watching.ended.catch(options.onError)
    // Of what was told before, the last word counts.
    await Promise.race([watching.caughtUp, watching.ended.catch(() => {})])
    hasCaughtUp = true
    for (const spendId of [...own.#gone]) own.#begin(spendId)
    return own
  }

  async close(): Promise<void> {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all([this.#watching?.close(), ...this.#underWay])
  }

  #hear(spendId: string, isGone: boolean): void {
    if (isGone) this.#gone.add(spendId)
    else this.#gone.delete(spendId)
  }

  /** What can move no money any more is nothing to settle. */
  #begin(spendId: string): void {
    const payment = this.#options.payments.of(spendId)
    if (!payment) this.#gone.delete(spendId)
    else if (this.#gone.has(spendId)) this.#await({ spendId, payment, tries: 0 })
  }

  #await(one: Try): void {
    if (this.#line.length >= mostInLine) return
    this.#line.push(one)
    this.#next()
  }

  #next(): void {
    while (!this.#isOver && this.#underWay.size < mostAtOnce) {
      const one = this.#line.shift()
      if (!one) return
      const trying: Promise<void> = this.#try(one).finally(() => {
        this.#underWay.delete(trying)
        this.#next()
      })
      this.#underWay.add(trying)
    }
  }

  async #try({ spendId, payment, tries }: Try): Promise<void> {
    const { facilitators, ledger, payments, onError } = this.#options
    if (!this.#gone.has(spendId)) return
    const { network } = payment
    if (!payments.of(spendId)) {
      this.#gone.delete(spendId)
      metrics.resettled.inc({ network, outcome: 'dead' })
      return
    }
    try {
      if (!ledger.isOfAnother(spendId)) {
        const { outcome } = await facilitators.settleAgain(payment, timeoutMs)
        metrics.resettled.inc({ network, outcome })
      }
    } catch (error) {
      metrics.resettled.inc({ network, outcome: 'unknown' })
      onError(error)
    }
    // A facilitator's word ends nothing: the log says once the chain shows it.
    this.#later({ spendId, payment, tries: tries + 1 })
  }

  #later(one: Try): void {
    const pauseMs = pausesMs[one.tries - 1]
    if (pauseMs === undefined || this.#isOver || this.#timers.size >= mostInLine) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#await(one)
    }, pauseMs).unref()
    this.#timers.add(timer)
  }
}
