/** Asks the chain how an open purchase ended. Never guesses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { orAborted } from '../../../pipelines/chain/endpoints.ts'
import type { Finding } from '../../../pipelines/chain/finding.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { SettleReply } from '../facilitator/reply.ts'
import type { Purchase } from '../ledger/purchases.ts'
import type { Ledger } from '../ledger.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Turns } from './turns.ts'

export interface RecoveryOptions {
  ledger: Ledger
  turns: Turns
  schemes: Schemes
  onError(error: unknown): void
}

/** The pauses between two tries while a caller waits. */
const pausesMs = [100, 250, 500, 1000, 2000]
/** The pauses between two looks while nobody waits. */
const firstPauseMs = 1000
const longestPauseMs = 30_000

export class Recovery {
  readonly #ledger: Ledger
  readonly #turns: Turns
  readonly #schemes: Schemes
  readonly #onError: (error: unknown) => void
  /** When a sweep looks at a purchase again. */
  readonly #stopping = new AbortController()
  readonly #next = new WeakMap<Purchase, { at: number; pauseMs: number }>()

  constructor({ ledger, turns, schemes, onError }: RecoveryOptions) {
    this.#ledger = ledger
    this.#turns = turns
    this.#schemes = schemes
    this.#onError = onError
  }

  /** Looks once, and records an end if the chain shows one. */
  async look(purchase: Purchase): Promise<void> {
    const seen = await this.#see(purchase)
    if (!seen || purchase.state !== 'open') return
    if (seen.found && !this.#ledger.purchases.paidAnother(purchase, seen))
      this.#ledger.recordSettled(purchase, seen, true)
    else if (!seen.found && seen.final) await this.#ledger.recordFailed(purchase, seen.reason, true)
  }

  /**
   * Looks until the purchase has ended or the deadline has passed. If its payer asks for it, `settleAgain` runs between two
   * looks. That is safe while the authorization lives, because the chain takes it once.
   */
  async conclude(
    purchase: Purchase,
    deadline: number,
    settleAgain?: (remainingMs: number) => Promise<SettleReply>,
  ): Promise<void> {
    for (let i = 0; purchase.state === 'open'; i++) {
      await this.look(purchase)
      if (purchase.state !== 'open' || this.#stopping.signal.aborted) return
      if (settleAgain && performance.now() < deadline) {
        const reply = await settleAgain(deadline - performance.now())
        // After a first try with an unknown end, a "failed" proves nothing. Only the chain can say no.
        const credited = reply.outcome === 'settled' && { tx: reply.tx, position: undefined }
        if (credited && !this.#ledger.purchases.paidAnother(purchase, credited))
          return this.#ledger.recordSettled(purchase, credited, true)
      }
      const pauseMs = pausesMs[Math.min(i, pausesMs.length - 1)] as number
      if (performance.now() + pauseMs > deadline) return
      await sleep(pauseMs)
    }
  }

  /** Looks at the purchases that crashes and silences left open. It never settles: only a payer may ask for that. */
  async sweep(): Promise<void> {
    for (const purchase of this.#ledger.purchases.open) {
      if (this.#stopping.signal.aborted) return
      await this.#lookAfter(purchase)
    }
    await this.#ledger.keep().catch(this.#onError)
  }

  /** Ends all looks, so that a node that hangs cannot delay the stop. */
  stop(): void {
    this.#stopping.abort()
  }

  async #lookAfter(purchase: Purchase): Promise<void> {
    const next = this.#next.get(purchase) ?? { at: 0, pauseMs: firstPauseMs }
    if (performance.now() < next.at || this.#ledger.isHeldElsewhere(purchase)) return
    const free = await this.#turns.take(purchase.spendId, 0)
    if (!free) return
    this.#next.set(purchase, {
      at: performance.now() + next.pauseMs,
      pauseMs: Math.min(2 * next.pauseMs, longestPauseMs),
    })
    try {
      this.#ledger.purchases.doubted(purchase)
      await this.look(purchase)
    } catch (error) {
      this.#onError(error)
    } finally {
      free()
    }
  }

  #see({ promised: { trace, promised_at } }: Purchase): Promise<Finding | undefined> {
    return this.find(trace, Date.parse(promised_at))
  }

  /** Asks the chain once what became of a payment. Undefined: the chain does not answer. */
  async find(trace: Trace, sinceMs: number): Promise<Finding | undefined> {
    try {
      const scheme = this.#schemes.get(trace.network)
      if (!scheme) throw new Error(`no chain is known for ${trace.network}`)
      return await orAborted(scheme.find(trace, sinceMs), this.#stopping.signal)
    } catch (error) {
      // The chain does not answer, so the next sweep asks again.
      this.#onError(error)
      return undefined
    }
  }
}
