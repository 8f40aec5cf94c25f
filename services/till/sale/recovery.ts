/** Asks the chain how an open purchase ended. Never guesses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '../../../pipelines/chain/finding.ts'
import type { SettleReply } from '../facilitator/reply.ts'
import type { Claims } from '../ledger/claims.ts'
import type { Purchase } from '../ledger/purchases.ts'
import type { Ledger } from '../ledger.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Turns } from './turns.ts'

export interface RecoveryOptions {
  ledger: Ledger
  claims: Claims
  turns: Turns
  schemes: Schemes
  onError(error: unknown): void
}

/** Between two tries while a caller waits. */
const pausesMs = [100, 250, 500, 1000, 2000]

export class Recovery {
  readonly #ledger: Ledger
  readonly #claims: Claims
  readonly #turns: Turns
  readonly #schemes: Schemes
  readonly #onError: (error: unknown) => void

  constructor({ ledger, claims, turns, schemes, onError }: RecoveryOptions) {
    this.#ledger = ledger
    this.#claims = claims
    this.#turns = turns
    this.#schemes = schemes
    this.#onError = onError
  }

  /** Looks once, and records an end if the chain shows one. */
  async look(purchase: Purchase): Promise<void> {
    const seen = await this.#see(purchase)
    if (!seen || purchase.state !== 'open') return
    if (seen.found) await this.recordSettled(purchase, seen.tx, true)
    else if (seen.final) await this.#ledger.recordFailed(purchase, seen.reason, true).catch(this.#onError)
  }

  /**
   * Looks until the purchase has ended or the deadline is past. Where its payer asks for it, `settleAgain` is tried
   * between two looks. That is safe while the authorization lives, because the chain takes it once.
   */
  async conclude(
    purchase: Purchase,
    deadline: number,
    settleAgain?: (remainingMs: number) => Promise<SettleReply>,
  ): Promise<void> {
    for (let i = 0; purchase.state === 'open'; i++) {
      await this.look(purchase)
      if (purchase.state !== 'open') return
      if (settleAgain && performance.now() < deadline) {
        const reply = await settleAgain(deadline - performance.now())
        // After a first try of unknown end a "failed" proves nothing any more: only the chain can say no.
        if (reply.outcome === 'settled' && !this.#ledger.purchases.paidAnother(reply.tx, purchase.spendId))
          return this.recordSettled(purchase, reply.tx, true)
      }
      const pauseMs = pausesMs[Math.min(i, pausesMs.length - 1)] as number
      if (performance.now() + pauseMs > deadline) return
      await sleep(pauseMs)
    }
  }

  /** The money has moved. The answer is owed from here on, whether or not the log can take the record. */
  async recordSettled(purchase: Purchase, tx: string, resolved: boolean): Promise<void> {
    await this.#ledger.recordSettled(purchase, tx, resolved).catch(this.#onError)
  }

  /** Looks after the purchases that crashes and silences left open. It never settles: only a payer may ask for that. */
  async sweep(): Promise<void> {
    for (const purchase of this.#ledger.purchases.open) {
      const free = await this.#turns.take(purchase.spendId, 0)
      if (!free) continue
      try {
        if (this.#claims.elsewhere(purchase.spendId)) continue
        const { owned } = await this.#claims.take(purchase.spendId)
        if (!owned) continue
        await this.#ledger.catchUp()
        if (purchase.state === 'open') await this.look(purchase)
        if (purchase.state === 'open') await this.#ledger.carry(purchase)
        await this.#claims.free(purchase.spendId)
      } catch (error) {
        this.#onError(error)
      } finally {
        free()
      }
    }
    await this.#ledger.writeMissing().catch(this.#onError)
    this.#ledger.purchases.forget()
  }

  async #see({ intent: { trace, intended_at } }: Purchase): Promise<Finding | undefined> {
    try {
      const scheme = this.#schemes.get(trace.network)
      if (!scheme) throw new Error(`no chain is known for ${trace.network}`)
      return await scheme.find(trace, Date.parse(intended_at))
    } catch (error) {
      // The chain is silent; it is asked again.
      this.#onError(error)
      return undefined
    }
  }
}
