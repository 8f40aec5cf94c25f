/** Claims of instances on spends and keys. Each claim is a record in the log, and the lowest place there owns. */
import { randomUUID } from 'node:crypto'
import type { Log, Received, Watching } from '../../../pipelines/log/log.ts'
import { type TillClaim, tillClaims } from '../../../schemas/till-claims.ts'
import { logUnavailable } from '../failures.ts'

export interface Taken {
  owned: boolean
  /** Another claim came before: what became of it stands in the log. */
  known: boolean
}

interface Owner {
  by: string
  /** By the log's clock. */
  until: number
  seenAt: number
}

/** Longer than any work on a payment. An owner that is silent for longer is dead. */
export const leaseMs = 120_000
const rememberMs = 15 * 60_000

export class Claims {
  readonly #log: Log
  readonly #instance: string
  readonly #now: () => number
  readonly #owners = new Map<string, Owner>()
  /** Our own claims that were not read back yet. */
  readonly #unread = new Map<string, PromiseWithResolvers<Taken>>()
  #watching!: Watching
  #ended = false
  /** How far the log's clock is ahead of ours. */
  #aheadMs = 0

  private constructor(log: Log, instance: string, now: () => number) {
    this.#log = log
    this.#instance = instance
    this.#now = now
  }

  static async open(log: Log, instance: string, now: () => number): Promise<Claims> {
    const claims = new Claims(log, instance, now)
    claims.#watching = await log.watch(tillClaims.topic, batch => claims.#read(batch))
    const end = () => claims.#end()
    claims.#watching.ended.then(end, end)
    await claims.#watching.caughtUp
    return claims
  }

  get ended(): Promise<void> {
    return this.#watching.ended
  }

  /** Resolves once every claim that any instance made before this call is known here. */
  async catchUp(): Promise<void> {
    await this.#watching.reached(await this.#log.end(tillClaims.topic))
  }

  /** The log's clock. */
  logNow(): number {
    return this.#now() + this.#aheadMs
  }

  /** Rejects with the free 503 log_unavailable when the log cannot take the claim. */
  async take(thing: string): Promise<Taken> {
    const claim = randomUUID()
    const taken = Promise.withResolvers<Taken>()
    this.#unread.set(claim, taken)
    try {
      if (this.#ended) throw new Error('the claims are no longer read')
      await this.#append({ thing, by: this.#instance, claim, what: 'take', lease_ms: leaseMs })
      return await taken.promise
    } catch {
      // A rail broke before anything was settled: the call is free and may come again.
      throw logUnavailable()
    } finally {
      this.#unread.delete(claim)
    }
  }

  /** A claim that is not freed ends with its lease. */
  async free(thing: string): Promise<void> {
    await this.#append({ thing, by: this.#instance, claim: randomUUID(), what: 'free', lease_ms: 0 })
  }

  /** Does another instance work on it? */
  elsewhere(thing: string): boolean {
    const owner = this.#owners.get(thing)
    return owner !== undefined && owner.by !== this.#instance && owner.until > this.logNow()
  }

  close(): Promise<void> {
    return this.#watching.close()
  }

  #append(claim: TillClaim): Promise<void> {
    const value = JSON.stringify(tillClaims.event.parse(claim))
    return this.#log.append(tillClaims.topic, [{ key: claim.thing, value }])
  }

  #read(batch: readonly Received[]): void {
    for (const { at, value } of batch) {
      const { data: claim } = tillClaims.event.safeParse(value === null ? null : JSON.parse(value))
      if (claim) this.#judge(claim, at)
    }
    this.#forget()
  }

  /** Every instance judges alike, because nothing but the log counts. */
  #judge({ thing, by, claim, what, lease_ms }: TillClaim, at: number): void {
    const owner = this.#owners.get(thing)
    if (what === 'free') {
      if (owner?.by === by) owner.until = at
      return
    }
    const owned = !owner || owner.by === by || owner.until <= at
    if (owned) {
      this.#owners.delete(thing)
      this.#owners.set(thing, { by, until: at + lease_ms, seenAt: at })
    }
    const unread = this.#unread.get(claim)
    if (!unread) return
    this.#aheadMs = at - this.#now()
    unread.resolve({ owned, known: owner !== undefined })
  }

  /** Nobody will read our claims back. */
  #end(): void {
    this.#ended = true
    for (const { reject, promise } of this.#unread.values()) {
      promise.catch(() => {})
      reject(new Error('the claims are no longer read'))
    }
  }

  #forget(): void {
    const before = this.logNow() - rememberMs
    for (const [thing, { seenAt }] of this.#owners) {
      if (seenAt > before) break
      this.#owners.delete(thing)
    }
  }
}
