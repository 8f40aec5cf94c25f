/** What one call holds while it works: its turns within this process and its claims among instances. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '../../errors.ts'
import { inUse, logUnavailable } from '../failures.ts'
import type { Claims } from '../ledger/claims.ts'
import type { Ledger } from '../ledger.ts'
import type { Free, Turns } from './turns.ts'

export interface ReservationParts {
  turns: Turns
  claims: Claims
  ledger: Ledger
  /** How long a copy of a payment, or of a key, waits for the first. */
  waitMs: number
  /** Lets a piece of work go on that no call waits for. */
  aside(work: Promise<unknown>): void
}

const lookEveryMs = 25

export class Reservation {
  readonly #parts: ReservationParts
  readonly #turns = new Map<string, Free>()
  readonly #claimed: string[] = []
  /** No claim of it is older than this. */
  readonly since = performance.now()

  constructor(parts: ReservationParts) {
    this.#parts = parts
  }

  /**
   * Resolves once this call alone works on the thing and knows all that happened to it before, or once `done` says that
   * no work is left. Fails with `conflict` when somebody else works on it for too long.
   */
  async take(thing: string, conflict: ErrorCode, done: () => boolean): Promise<void> {
    const { turns, claims, ledger, waitMs } = this.#parts
    const deadline = performance.now() + waitMs
    const turn = await turns.take(thing, waitMs)
    if (!turn) throw inUse(conflict)
    this.#turns.set(thing, turn)
    while (!done()) {
      const { owned, known } = await claims.take(thing)
      if (owned) this.#claimed.push(thing)
      // Nothing can have happened before the first claim of all.
      if (known) await caughtUp(ledger)
      if (owned) return
      while (!done() && claims.elsewhere(thing)) {
        if (performance.now() > deadline) throw inUse(conflict)
        await sleep(lookEveryMs)
      }
    }
  }

  /** Lets the next call of this process begin. */
  pass(thing: string): void {
    this.#turns.get(thing)?.()
  }

  /** `spent`: nothing is left to claim, so the claims may end with their leases. */
  release({ spent }: { spent: boolean }): void {
    const claimed = this.#claimed.splice(0)
    if (!spent) for (const thing of claimed) this.#parts.aside(this.#parts.claims.free(thing))
    for (const free of this.#turns.values()) free()
  }
}

export async function caughtUp(log: { catchUp(): Promise<void> }): Promise<void> {
  try {
    await log.catchUp()
  } catch {
    // A rail broke before anything was settled: the call is free and may come again.
    throw logUnavailable()
  }
}
