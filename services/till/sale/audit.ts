/** Compares a facilitator's word with the chain, soon after the answer has left. No call waits for it. */
import type { Finding } from '../../../pipelines/domains/payments/finder.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { Lie } from '../facilitator/facilitators.ts'
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'

interface AuditOptions {
  ledger: Ledger
  /** Undefined if the chain does not respond. */
  find(trace: Trace, sinceMs: number, tx: string): Promise<Finding | undefined>
  /** The pause before the first look. After it, even a node that lags by a few blocks shows the transaction. */
  firstMs: number
  lied(kind: Lie, by: string): void
}

interface Said {
  purchase: Purchase
  tx: string
  /** The facilitator that said so. */
  by: string
  /** By this process's monotonic clock. */
  dueAt: number
  pauseMs: number
  tries: number
}

const longestPauseMs = 10 * 60_000
/** While a network's nodes are silent, one look in so long shows when they are back. */
const silenceMs = 5000
/** About two hours of silence. */
const mostTries = 16
/** At most four a second, because a public node is shared by everybody. Faster sales are checked by sample. */
const everyMs = 250
const mostAtOnce = 4
/** The most purchases in line, about 1 KB each without their answers. */
const mostWaiting = 2000

export class Audit {
  readonly #options: AuditOptions
  readonly #waiting = new Set<Said>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  readonly #firstMs: number
  /** The networks whose nodes were silent, and when they are asked again. */
  readonly #silent = new Map<string, number>()
  /** Nothing is due before: to go through thousands that wait, several times a second, takes a part of each sale. */
  #nextAt = 0

  constructor(options: AuditOptions) {
    this.#options = options
    this.#firstMs = options.firstMs
    this.#timer = setInterval(() => this.#next(), Math.min(everyMs, this.#firstMs)).unref()
  }

  /** The facilitator says that this transaction settled the purchase. */
  add(purchase: Purchase, tx: string, by: string): void {
    if (this.#waiting.size >= mostWaiting) {
      metrics.facilitatorChecks.inc({ outcome: 'skipped', facilitator: by })
      return
    }
    this.#wait({
      purchase: { ...purchase, promised: { ...purchase.promised, answer: '' } },
      ...{ tx, by },
      dueAt: performance.now() + this.#firstMs,
      pauseMs: this.#firstMs,
      tries: 0,
    })
  }

  #wait(said: Said): void {
    this.#waiting.add(said)
    this.#nextAt = Math.min(this.#nextAt, said.dueAt)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
  }

  #next(): void {
    if (this.#underWay.size >= mostAtOnce) return
    const now = performance.now()
    if (now < this.#nextAt) return
    let nextAt = Number.POSITIVE_INFINITY
    for (const said of this.#waiting) {
      const dueAt = Math.max(said.dueAt, this.#silent.get(networkOf(said)) ?? 0)
      if (dueAt > now) {
        nextAt = Math.min(nextAt, dueAt)
        continue
      }
      this.#waiting.delete(said)
      const checking: Promise<void> = this.#check(said).finally(() => this.#underWay.delete(checking))
      this.#underWay.add(checking)
      return
    }
    this.#nextAt = nextAt
  }

  async #check(said: Said): Promise<void> {
    const { ledger, find, lied } = this.#options
    const { purchase, tx, by } = said
    const { trace, promised_at, since } = purchase.promised
    const seen = await find(trace, Date.parse(since ?? promised_at), tx)
    if (seen && this.#silent.delete(networkOf(said))) this.#nextAt = 0
    if (!seen) this.#silent.set(networkOf(said), performance.now() + Math.min(silenceMs, this.#firstMs))
    if (seen?.found) {
      const isOther = seen.tx.toLowerCase() !== tx.toLowerCase()
      if (isOther) lied('transaction', by)
      metrics.facilitatorChecks.inc({ outcome: isOther ? 'denied' : 'confirmed', facilitator: by })
      ledger.recordConfirmed(purchase, seen, isOther ? 'other_transaction' : null)
    } else if (seen?.final) {
      lied('settled', by)
      metrics.facilitatorChecks.inc({ outcome: 'denied', facilitator: by })
      ledger.recordRefuted(purchase, tx, seen.reason)
    } else this.#later(said)
  }

  #later(said: Said): void {
    const tries = said.tries + 1
    if (tries >= mostTries || this.#waiting.size >= mostWaiting) {
      metrics.facilitatorChecks.inc({ outcome: 'silent', facilitator: said.by })
      return
    }
    const pauseMs = Math.min(2 * said.pauseMs, longestPauseMs)
    this.#wait({ ...said, tries, pauseMs, dueAt: performance.now() + said.pauseMs })
  }
}

const networkOf = ({ purchase }: Said): string => purchase.promised.network
