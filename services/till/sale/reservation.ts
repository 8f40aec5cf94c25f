/** What one call holds while it works: its turns in this process, and its purchase among instances. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { inUse, logUnavailable, unknownOutcome } from '../payment-failures.ts'
import type { Free, Turns } from './turns.ts'

export interface ReservationParts {
  turns: Turns
  ledger: Ledger
  /** The time that a second call with the same payment or key waits for the first. */
  waitMs: number
  /** Runs work that no call waits for. */
  aside(work: Promise<unknown>): void
}

const lookEveryMs = 25
/** The most rounds. Each writes to the log, and one is enough if another instance was first. */
const mostRounds = 4

export class Reservation {
  readonly #parts: ReservationParts
  readonly #spendId: string
  readonly #turns = new Map<string, Free>()
  #rounds = 0

  constructor(parts: ReservationParts, spendId: string) {
    this.#parts = parts
    this.#spendId = spendId
  }

  /** Resolves once no other call works on the thing, on any instance, or once `done` is true. At once, if nobody does. */
  take(thing: string, done: () => boolean): undefined | Promise<void> {
    const { turns, ledger, waitMs } = this.#parts
    const deadline = performance.now() + waitMs
    const turn = this.#turns.get(thing) ?? turns.take(thing, waitMs)
    if (turn instanceof Promise) return this.#wait(thing, done, { turn, deadline })
    this.#turns.set(thing, turn)
    if (!done() && ledger.isBusy(thing)) return this.#wait(thing, done, { turn, deadline })
  }

  async #wait(
    thing: string,
    done: () => boolean,
    { turn, deadline }: { turn: Free | Promise<Free | undefined>; deadline: number },
  ): Promise<void> {
    const { ledger } = this.#parts
    const taken = await turn
    if (!taken) throw this.#inUse(thing)
    this.#turns.set(thing, taken)
    while (!done() && ledger.isBusy(thing)) {
      if (performance.now() > deadline) throw this.#inUse(thing)
      await sleep(lookEveryMs)
    }
  }

  /**
   * Resolves once no other instance works on the purchase, or once the purchase needs no more work. To hand a settled one over needs
   * no one's leave.
   */
  async hold(purchase: Purchase): Promise<void> {
    const { ledger } = this.#parts
    const isHandedOver = () => purchase.state === 'settled' && ledger.isHeldElsewhere(purchase)
    const isOver = () => purchase.state === 'failed' || purchase.delivered || isHandedOver()
    while (!isOver() && !ledger.isHeld(purchase)) {
      await this.take(purchase.spendId, isOver)
      if (isOver()) return
      const isTaken = await ledger.take(purchase).catch(() => {
        throw logUnavailable()
      })
      // The log no longer knows the purchase, or has another one for this payment, so another round changes nothing.
      if (!isTaken && !ledger.isBusy(purchase.spendId)) throw unknownOutcome()
    }
  }

  /** Counts a round. The log may hold a key that the memory has dropped, and then no further round helps. */
  beginAgain(): void {
    this.#rounds++
    if (this.#rounds < mostRounds) return
    throw this.#parts.ledger.purchases.of(this.#spendId) ? unknownOutcome() : inUse('idempotency_conflict')
  }

  release(): void {
    for (const free of this.#turns.values()) free()
  }

  /** After a promise, money may have moved, so "not charged" would be a guess. */
  #inUse(thing: string): Error {
    if (thing !== this.#spendId) return inUse('idempotency_conflict')
    return this.#parts.ledger.purchases.of(thing) ? unknownOutcome() : inUse('payment_in_flight')
  }
}

export async function caughtUp(log: { catchUp(): Promise<void> }): Promise<void> {
  try {
    await log.catchUp()
  } catch {
    // A rail broke before any settlement, so the call is free and may come again.
    throw logUnavailable()
  }
}
