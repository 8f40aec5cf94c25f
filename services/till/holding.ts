/** What one call holds while it works: turns within this process, claims among instances. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorCode, Failure } from '../errors.ts'
import type { Claims } from './claims.ts'
import type { Ledger } from './ledger.ts'
import type { Free, Turns } from './turns.ts'

export interface HoldingParts {
  turns: Turns
  claims: Claims
  ledger: Ledger
  /** How long a copy of a payment, or of a key, waits for the first. */
  waitMs: number
  aside(work: Promise<unknown>): void
}

const lookEveryMs = 25

export class Holding {
  readonly #parts: HoldingParts
  readonly #turns = new Map<string, Free>()
  readonly #claimed: string[] = []
  /** Nothing was claimed before this. */
  readonly since = performance.now()

  constructor(parts: HoldingParts) {
    this.#parts = parts
  }

  /**
   * Resolves once this call alone works on the thing and knows all that happened to it before, or once `done` says that
   * there is nothing left to work on. Fails with `conflict` where somebody else is too long about it.
   */
  async take(thing: string, conflict: ErrorCode, done: () => boolean): Promise<void> {
    const { turns, claims, ledger, waitMs } = this.#parts
    const deadline = performance.now() + waitMs
    const inUse = () => new Failure(conflict, undefined, { 'Retry-After': '1' })
    const turn = await turns.take(thing, waitMs)
    if (!turn) throw inUse()
    this.#turns.set(thing, turn)
    while (!done()) {
      const { owned, known } = await claims.take(thing)
      if (owned) this.#claimed.push(thing)
      // The first claim ever made has nothing before it to learn of.
      if (known) await caughtUp(ledger)
      if (owned) return
      while (!done() && claims.elsewhere(thing)) {
        if (performance.now() > deadline) throw inUse()
        await sleep(lookEveryMs)
      }
    }
  }

  /** Lets the next call of this process begin. */
  pass(thing: string): void {
    this.#turns.get(thing)?.()
  }

  /** `spent`: there is nothing left to claim, so the claims may run out by themselves. */
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
    // A rail broke before anything was settled: free, and to be tried again.
    throw new Failure('log_unavailable', undefined, { 'Retry-After': '5' })
  }
}
