/** How a payment ended of which nobody could say: asked of the chain, and never guessed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Look } from '../../pipelines/chain/look.ts'
import type { Trace } from '../../schemas/till-intents.ts'
import type { Entry } from './book.ts'
import type { Claims } from './claims.ts'
import type { Settled } from './facilitator.ts'
import type { Ledger } from './ledger.ts'
import type { Turns } from './turns.ts'

export interface RecoveryOptions {
  ledger: Ledger
  claims: Claims
  turns: Turns
  /** Rejects when the chain cannot tell. */
  ask(trace: Trace, sinceMs: number): Promise<Look>
  onError(error: unknown): void
}

/** Between two tries while a caller waits. */
const pausesMs = [100, 250, 500, 1000, 2000]

export class Recovery {
  readonly #ledger: Ledger
  readonly #claims: Claims
  readonly #turns: Turns
  readonly #ask: RecoveryOptions['ask']
  readonly #onError: (error: unknown) => void

  constructor({ ledger, claims, turns, ask, onError }: RecoveryOptions) {
    this.#ledger = ledger
    this.#claims = claims
    this.#turns = turns
    this.#ask = ask
    this.#onError = onError
  }

  /** Looks once, and writes down an end if there is one. */
  async look(entry: Entry): Promise<void> {
    const seen = await this.#see(entry)
    if (!seen || entry.state !== 'open') return
    if (seen.found) await this.settled(entry, seen.tx, true)
    else if (seen.final) await this.#ledger.fail(entry, seen.reason, true).catch(this.#onError)
  }

  /**
   * Until the payment has ended or the deadline is past: looks, and where the payer asked for it settles again, which
   * is safe for as long as the authorization lives, for the chain takes it once.
   */
  async resolve(
    entry: Entry,
    deadline: number,
    again?: (remainingMs: number) => Promise<Settled>,
  ): Promise<void> {
    for (let i = 0; entry.state === 'open'; i++) {
      await this.look(entry)
      if (entry.state !== 'open') return
      if (again && performance.now() < deadline) {
        const said = await again(deadline - performance.now())
        // After a first try of unknown end no "failed" is definite any more: only the chain can say no.
        if (said.outcome === 'settled' && !this.#ledger.book.creditedElsewhere(said.tx, entry.spendId))
          return this.settled(entry, said.tx, true)
      }
      const pauseMs = pausesMs[Math.min(i, pausesMs.length - 1)] as number
      if (performance.now() + pauseMs > deadline) return
      await sleep(pauseMs)
    }
  }

  /** The money has moved: whatever the log says to that, the answer is owed from here on. */
  async settled(entry: Entry, tx: string, resolved: boolean): Promise<void> {
    await this.#ledger.settle(entry, tx, resolved).catch(this.#onError)
  }

  /** Looks after what crashes and silences left behind. Never settles: only the payer may ask for that. */
  async sweep(): Promise<void> {
    for (const entry of this.#ledger.book.unresolved) {
      const free = await this.#turns.take(entry.spendId, 0)
      if (!free) continue
      try {
        if (this.#claims.elsewhere(entry.spendId)) continue
        const { owned } = await this.#claims.take(entry.spendId)
        if (!owned) continue
        await this.#ledger.catchUp()
        if (entry.state === 'open') await this.look(entry)
        if (entry.state === 'open') await this.#ledger.carry(entry)
        await this.#claims.free(entry.spendId)
      } catch (error) {
        this.#onError(error)
      } finally {
        free()
      }
    }
    await this.#ledger.catchUpWriting().catch(this.#onError)
    this.#ledger.book.forget()
  }

  async #see({ intent }: Entry): Promise<Look | undefined> {
    try {
      return await this.#ask(intent.trace, Date.parse(intent.intended_at))
    } catch (error) {
      // The chain is silent; it is asked again.
      this.#onError(error)
      return undefined
    }
  }
}
