/**
 * Settles a payment once more that its chain has taken back after the sale. Its nonce, or its message, moves money once, so a second
 * try cannot charge twice. What was sold stays sold.
 */

import { eventsIn } from '../../../pipelines/rails/log/events.ts'
import type { Log, Watching } from '../../../pipelines/rails/log/log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { takenBack } from '../../../schemas/finality.ts'
import type { Facilitators } from '../facilitator/facilitators.ts'
import type { Payment } from '../till.ts'

interface ResettlementOptions {
  log: Pick<Log, 'watch'>
  facilitators: Pick<Facilitators, 'settleAgain'>
  now: () => number
  onError(error: unknown): void
}

/** Sold payments that are kept while they live, the newest. A payload may be as large as a header. */
const mostKept = 20_000
const mostKeptBytes = 32 << 20
/** Tries at once: a facilitator that fails must not hold the others up. */
const mostAtOnce = 8
/** After that many have to wait, the chain's own memory of transactions has to do. */
const mostInLine = 1000
const timeoutMs = 20_000
const pausesMs = [2000, 8000, 30_000]

interface Try {
  payment: Payment
  /** Those before it. */
  tries: number
}

export class Resettlement {
  readonly #options: ResettlementOptions
  readonly #kept = new Map<string, Payment>()
  readonly #line: Try[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #watching: Watching
  #bytes = 0
  #isOver = false

  private constructor(options: ResettlementOptions, watching: Watching) {
    this.#options = options
    this.#watching = watching
  }

  static async open(options: ResettlementOptions): Promise<Resettlement> {
    let own: Resettlement | undefined
    const watching = await options.log.watch(
      takenBack.topic,
      batch => {
        for (const { event } of eventsIn(takenBack, batch))
          if (event.state === 'taken_back') own?.hear(event.spend_id)
      },
      { from: 'end' },
    )
    // Without it a payment that is taken back waits for its chain alone, and sales go on.
    watching.ended.catch(options.onError)
    own = new Resettlement(options, watching)
    return own
  }

  /** The payment is settled. It is kept for as long as its chain takes it. */
  keep(payment: Payment): void {
    const { spendId, paying } = payment
    if (this.#kept.has(spendId)) return
    this.#kept.set(spendId, payment)
    this.#bytes += paying.length
    const now = this.#options.now()
    for (const [oldest, { deadAt }] of this.#kept) {
      if (deadAt > now && this.#kept.size <= mostKept && this.#bytes <= mostKeptBytes) break
      this.#forget(oldest)
    }
  }

  hear(spendId: string): void {
    const payment = this.#kept.get(spendId)
    if (payment) this.#await({ payment, tries: 0 })
  }

  async close(): Promise<void> {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all([this.#watching.close(), ...this.#underWay])
  }

  #forget(spendId: string): void {
    this.#bytes -= this.#kept.get(spendId)?.paying.length ?? 0
    this.#kept.delete(spendId)
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

  async #try({ payment, tries }: Try): Promise<void> {
    const { facilitators, now, onError } = this.#options
    const { network } = payment
    if (Math.min(payment.expiresAt, payment.deadAt) <= now()) {
      metrics.resettled.inc({ network, outcome: 'dead' })
      return
    }
    try {
      const { outcome } = await facilitators.settleAgain(payment, timeoutMs)
      metrics.resettled.inc({ network, outcome })
      if (outcome === 'settled') return
    } catch (error) {
      metrics.resettled.inc({ network, outcome: 'unknown' })
      onError(error)
    }
    const pauseMs = pausesMs[tries]
    if (pauseMs === undefined || this.#isOver || this.#timers.size >= mostInLine) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#await({ payment, tries: tries + 1 })
    }, pauseMs).unref()
    this.#timers.add(timer)
  }
}
