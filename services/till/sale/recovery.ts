/** Asks the chain how an open purchase ended. It never guesses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { orAborted } from '../../../pipelines/domains/payments/endpoints.ts'
import type { Finding } from '../../../pipelines/domains/payments/finder.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { Tally } from '../../../pipelines/rails/tally.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { Lie, SettleWord } from '../facilitator/facilitators.ts'
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { unfit, unknownOutcome } from '../payment-failures.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Asking } from '../till.ts'
import { Audit } from './audit.ts'
import { Looks } from './looks.ts'
import type { Retries, Settling } from './retries.ts'
import type { Turns } from './turns.ts'

interface RecoveryOptions {
  ledger: Ledger
  turns: Turns
  schemes: Schemes
  retries: Retries
  /** The pause before a facilitator's word is compared with the chain. */
  auditMs: number
  /** A chain denies the word of this facilitator. */
  lied(kind: Lie, by: string | undefined): void
  now: () => number
  onError(error: unknown): void
}

/** The pauses between two looks while a caller waits. */
const pausesMs = [100, 250, 500, 1000, 2000]
/** The pauses between two looks while nobody waits. */
const firstPauseMs = 1000
const longestPauseMs = 30_000
/** A refused payment hardly ever moves money. */
const longestPauseOfRefusedMs = 120_000
/** Looks at once while nobody waits: in all, and for one payer, so that a slow purchase delays no other payer's. */
const mostLooks = 16
const mostLooksOfOne = 4
/** Looks in one sweep. A facilitator that fails may leave thousands, and a node that is asked too often answers nobody. */
const mostLooksASweep = 64
/** The looks of one caller at refused payments that he presents. */
const refusedAtOnce = 4
const refusedAMinute = 60

type Believed = Pick<Extract<SettleWord, { outcome: 'settled' }>, 'tx' | 'by'>

export class Recovery {
  readonly #ledger: Ledger
  readonly #turns: Turns
  readonly #schemes: Schemes
  readonly #retries: Retries
  readonly #audit: Audit
  readonly #refused: Looks
  readonly #onError: (error: unknown) => void
  /** When a sweep looks at a purchase again. */
  readonly #stopping = new AbortController()
  readonly #next = new WeakMap<Purchase, { at: number; pauseMs: number }>()
  readonly #looking = new Map<Purchase, Promise<void>>()
  /** The purchases that this sweep has still to look at, and the number of looks that it has left. */
  #due = new Set<Purchase>()
  #left = 0

  constructor({ ledger, turns, schemes, retries, auditMs, lied, now, onError }: RecoveryOptions) {
    this.#ledger = ledger
    this.#turns = turns
    this.#schemes = schemes
    this.#retries = retries
    this.#audit = new Audit({ ledger, firstMs: auditMs, lied, find: (...asked) => this.find(...asked) })
    this.#refused = new Looks(now, { atOnce: refusedAtOnce, aMinute: refusedAMinute })
    this.#onError = onError
  }

  /** Looks once, and records an end if the chain shows one. Undefined if the chain does not respond. */
  async look(purchase: Purchase): Promise<Finding | undefined> {
    const seen = await this.#see(purchase)
    // Another instance may have sold the payment anew in the meantime. The transfer then belongs to that purchase.
    const isCurrent = this.#ledger.purchases.of(purchase.spendId) === purchase
    if (!seen || !isCurrent || !isUnended(purchase)) return seen
    if (!seen.found) {
      if (seen.final) await this.#ledger.recordFailed(purchase, seen.reason, true)
    } else if (!this.#ledger.purchases.paidAnother(purchase, seen)) {
      this.#ledger.recordSettled(purchase, seen, true)
    }
    return seen
  }

  /** Like `look`, for a caller who presents a refused payment. Null: he has used up his looks for now. */
  lookFor(caller: string, purchase: Purchase): Promise<Finding | null | undefined> {
    return this.#refused.look(caller, () => this.look(purchase))
  }

  /** Accepts a facilitator's word that the transaction settled the purchase, unless that transaction has paid for another one. */
  believe(purchase: Purchase, { tx, by }: Believed, resolved: boolean): boolean {
    const credited = { tx, position: undefined }
    if (this.#ledger.purchases.paidAnother(purchase, credited)) return false
    const isNew = purchase.state === 'open'
    this.#ledger.recordSettled(purchase, credited, resolved)
    if (isNew) this.#audit.add(purchase, tx, by)
    return true
  }

  /**
   * Has a payment bought something, or may it have? A refused one has if its money has moved by now. Until its money can never
   * move, only its first caller may try it again: a transfer that a node does not show yet makes the payment public.
   */
  async isTaken(purchase: Purchase, asking: Asking): Promise<boolean> {
    if (purchase.state !== 'refused') return true
    if (!(await this.lookFor(asking.caller, purchase))) throw unknownOutcome()
    const { spendId, promised } = purchase
    if (isUnended(purchase) && !this.#ledger.callers.is(promised.caller, spendId, asking.caller))
      throw unfit('The payment was refused before, and another caller cannot try it again: sign a new one')
    return isSettled(purchase)
  }

  /**
   * Looks until the purchase has ended, the deadline has passed, or nobody waits any more. If the payer asks, it is settled again
   * now and then between two looks.
   */
  async conclude(
    purchase: Purchase,
    deadline: number,
    settling?: Settling,
    over?: AbortSignal,
  ): Promise<void> {
    for (let i = 0; purchase.state === 'open'; i++) {
      await this.look(purchase)
      if (purchase.state !== 'open' || this.#stopping.signal.aborted || over?.aborted) return
      if (settling && performance.now() < deadline) {
        const reply = await this.#retries.settle(purchase, settling, deadline - performance.now())
        // After a first try with an unknown end, a "failed" proves nothing. Only the chain can say no.
        if (reply?.outcome === 'settled' && this.believe(purchase, reply, true)) return
      }
      const pauseMs = pausesMs[Math.min(i, pausesMs.length - 1)] as number
      if (performance.now() + pauseMs > deadline) return
      await sleep(pauseMs)
    }
  }

  /**
   * Looks at purchases that crashes and silences left open, and at refused ones. It never settles, because only a payer may ask for
   * that.
   */
  async sweep(): Promise<void> {
    const { open, watched } = this.#ledger.purchases
    this.#due = new Set([...open, ...watched].filter(purchase => this.#isDue(purchase)))
    this.#left = mostLooksASweep
    this.#begin()
    await this.#ledger.keep().catch(this.#onError)
  }

  /** Begins as many looks as may be under way. Each that ends lets the next one begin. */
  #begin(): void {
    const ofOne = new Tally()
    for (const { promised } of this.#looking.keys()) ofOne.add(promised.payer)
    for (const purchase of this.#due) {
      if (this.#stopping.signal.aborted || this.#looking.size >= mostLooks || this.#left <= 0) return
      const { payer } = purchase.promised
      if (ofOne.of(payer) >= mostLooksOfOne) continue
      this.#due.delete(purchase)
      if (!isUnended(purchase) || !this.#isDue(purchase)) continue
      ofOne.add(payer)
      this.#left--
      const looking = this.#lookAfter(purchase).finally(() => {
        this.#looking.delete(purchase)
        this.#begin()
      })
      this.#looking.set(purchase, looking)
    }
  }

  /** Ends all looks, so that a hanging node cannot delay the stop. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#looking.values(), this.#audit.close()])
  }

  #isDue(purchase: Purchase): boolean {
    const at = this.#next.get(purchase)?.at ?? 0
    if (this.#looking.has(purchase) || performance.now() < at) return false
    // A call has it in hand. Thousands of such calls must not stand before the purchases that nobody waits for.
    return !this.#turns.isTaken(purchase.spendId) && !this.#ledger.isHeldElsewhere(purchase)
  }

  async #lookAfter(purchase: Purchase): Promise<void> {
    const free = await this.#turns.take(purchase.spendId, 0)
    if (!free) return
    const pauseMs = this.#next.get(purchase)?.pauseMs ?? firstPauseMs
    const isRefused = purchase.state === 'refused'
    let nextMs = Math.min(2 * pauseMs, isRefused ? longestPauseOfRefusedMs : longestPauseMs)
    try {
      if (!isRefused) this.#ledger.purchases.doubted(purchase)
      const seen = await this.look(purchase)
      if (seen && !seen.found && seen.reason === 'still_reading') nextMs = firstPauseMs
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#next.set(purchase, { at: performance.now() + pauseMs, pauseMs: nextMs })
      free()
    }
  }

  #see({ promised: { trace, promised_at, since } }: Purchase): Promise<Finding | undefined> {
    return this.find(trace, Date.parse(since ?? promised_at))
  }

  /** Asks the chain once how a payment ended. Undefined if the chain does not respond. */
  async find(trace: Trace, sinceMs: number, tx?: string): Promise<Finding | undefined> {
    try {
      const scheme = this.#schemes.get(trace.network)
      if (!scheme) throw new Error(`no chain is known for ${trace.network}`)
      return await orAborted(scheme.find(trace, sinceMs, tx), this.#stopping.signal)
    } catch (error) {
      // The next sweep asks again. If it is not the chain that is silent, the fault is ours, and an operator must see it.
      const isOurs = !(error instanceof UpstreamFailed || this.#stopping.signal.aborted)
      this.#onError(
        isOurs ? new Error('our fault: no chain can be asked of a payment', { cause: error }) : error,
      )
      return undefined
    }
  }
}

const isSettled = ({ state }: Purchase): boolean => state === 'settled'

const isUnended = ({ state }: Purchase): boolean => state === 'open' || state === 'refused'
