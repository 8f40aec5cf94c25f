/** The ledger: every purchase of this till and of its other instances. It reads the log at start, and writes there first. */
import { randomUUID } from 'node:crypto'
import { BlobLost, type Blobs } from '../../pipelines/rails/blobs/blobs.ts'
import type { Entry, Log, Watching } from '../../pipelines/rails/log/log.ts'
import { rejecting } from '../../pipelines/rails/log/rejection.ts'
import type { SettlementEvent } from '../../schemas/settlements.ts'
import { type Promised, type SignedPromise, tillPromises } from '../../schemas/till-promises.ts'
import { instant } from '../../schemas/values/values.ts'
import { type AnswerTexts, answerTexts } from './ledger/answer-text.ts'
import { CallerNames } from './ledger/caller-names.ts'
import { Carried } from './ledger/carried.ts'
import type { Credited } from './ledger/credits.ts'
import { Hearing, type LogClock } from './ledger/hearer.ts'
import { Judge, keysOfProof } from './ledger/judge.ts'
import { Latest } from './ledger/latest.ts'
import { Outcomes } from './ledger/outcomes.ts'
import { Owed } from './ledger/owed.ts'
import { openPurchase, type Purchase } from './ledger/purchase.ts'
import { Purchases } from './ledger/purchases.ts'
import { Readback } from './ledger/readback.ts'
import { entryOf, type More, nameOf, outcomeOf, type Said, settlementOf } from './ledger/steps.ts'
import { Unread } from './ledger/unread.ts'
import { answerUnread } from './payment-failures.ts'

interface LedgerOptions {
  log: Log
  blobs: Blobs
  now: () => number
  /** A clock that nobody can set. */
  uptime: () => number
  onError: (error: unknown) => void
  /** Gets each promise that this run makes or reads. The ledger itself keeps no signed payment. */
  promised?: ((spendId: string, promised: Promised, paying: string | null) => void) | undefined
  /** A payment that this facilitator had refused has moved money. */
  lied?: ((kind: 'refused', by: string | undefined) => void) | undefined
}

/** The first life of a stored large answer. If the answer must last longer, the ledger renews it in time. */
const blobMs = 2 * 60 * 60_000
const renewMs = 20 * 60_000
/** A run may miss three beats before the others count it as dead. */
const beatMs = 3000
/** After as many that it has not read back itself, it takes no more calls. */
const cutOffMs = 3.5 * beatMs

export class Ledger {
  readonly purchases: Purchases
  readonly answers: AnswerTexts
  readonly unread: Unread
  /** Recognises first callers. */
  callers!: CallerNames
  /** Names this run of this process. */
  readonly #run = randomUUID()
  readonly #options: LedgerOptions
  readonly #judge = new Judge()
  readonly #readback: Readback
  readonly #carried: Carried
  readonly #owed: Owed
  readonly #outcomes: Outcomes
  /** Promises that this run has not read back yet. */
  readonly #promising = new Map<string, Purchase>()
  readonly #closed = Promise.withResolvers<void>()
  readonly #hearing: Hearing
  readonly #clock: LogClock = { aheadMs: 0, heardAt: 0, ownAt: 0 }
  readonly #latest = new Latest(() => this.catchUp())
  #watching!: Watching
  #beating: NodeJS.Timeout | undefined

  private constructor(options: LedgerOptions) {
    const { log, blobs, now, uptime, onError } = options
    this.#options = options
    this.purchases = new Purchases(this.#run, () => this.logNow(), uptime)
    this.answers = answerTexts(blobs, blobMs)
    this.#owed = new Owed({
      ...{ purchases: this.purchases, answers: this.answers, onError, now: () => this.logNow() },
      giveUp: purchase => this.#tell(purchase, 'undelivered', { payment_tx: purchase.tx ?? null }),
    })
    this.#readback = new Readback(log)
    this.unread = new Unread(rejecting(options))
    this.#outcomes = new Outcomes({ log, onError, recordOf: purchase => this.#outcome(purchase) })
    this.#carried = new Carried({
      ...{ log, uptime, purchases: this.purchases, unread: this.unread, outcomes: this.#outcomes },
      logNow: () => this.logNow(),
    })
    this.#hearing = new Hearing({
      run: this.#run,
      isOwned: log.isOwned,
      now,
      uptime,
      clock: this.#clock,
      purchases: this.purchases,
      judge: this.#judge,
      carried: this.#carried,
      readback: this.#readback,
      unread: this.unread,
      promising: this.#promising,
      opening: (spendId, requestId, keys, { promised, paying }) => {
        options.promised?.(spendId, promised, paying)
        return this.#opening(spendId, requestId, keys, { promised, paying: null })
      },
    })
  }

  static async open(options: LedgerOptions): Promise<Ledger> {
    const ledger = new Ledger(options)
    await ledger.#start()
    return ledger
  }

  /** Rejects when the log can no longer be read. */
  get ended(): Promise<unknown> {
    const { isOwned } = this.#options.log
    return isOwned
      ? this.#closed.promise
      : Promise.all([this.#watching.ended, this.#carried.ended, this.callers.ended])
  }

  /** The log's clock. */
  logNow(): number {
    return this.#options.now() + this.#clock.aheadMs
  }

  /** The time of the newest record in the log. */
  get heardAt(): number {
    return this.#clock.heardAt
  }

  /** Resolves once this run knows everything that any instance wrote before this call. */
  async catchUp(): Promise<void> {
    const { log } = this.#options
    if (!log.isOwned) await this.#watching.reached(await log.end(tillPromises.topic))
  }

  /** Like `catchUp`, but one short wait serves many calls. False: this instance has not caught up, and another may know more. */
  hasHeardAll(): Promise<boolean> {
    return this.#latest.ask()
  }

  /** Is there no other instance? */
  get isAlone(): boolean {
    return this.#options.log.isOwned
  }

  /** Does the log take promises, and not what becomes of them? */
  get isBehind(): boolean {
    return this.#outcomes.isFull
  }

  /** Did this run read back nothing of what it writes every few seconds? It then hears no other instance either. */
  get isCutOff(): boolean {
    const { log, uptime } = this.#options
    return !log.isOwned && uptime() - this.#clock.ownAt > cutOffMs
  }

  /**
   * Claims a payment and its keys before any work for them. Resolves with false if another instance was first.
   * It ends with the promise, with `withdraw`, or with this run.
   */
  async announce(spendId: string, requestId: string, keys: string[]): Promise<boolean> {
    if (this.#options.log.isOwned) return true
    return this.#decide({ step: 'announced', spend_id: spendId, request_id: requestId, keys })
  }

  /** Ends an announcement that may be in the log. A lost record is written again. */
  async withdraw(spendId: string, requestId: string): Promise<void> {
    if (this.#options.log.isOwned) return
    this.#outcomes.say(this.#entry({ step: 'returned', spend_id: spendId, request_id: requestId }))
    await this.#outcomes.write()
  }

  /** Claims a proof for good. Resolves with false if it was used before, on any instance. */
  async claimProof(proof: string, requestId: string): Promise<boolean> {
    return this.announce(proof, requestId, keysOfProof(proof))
  }

  /**
   * Resolves once the log has the promise and no other run was first. The payment may then be settled. Undefined if another
   * instance was first. Rejects if nobody can know, and then the payment must not be settled.
   */
  async promise(
    spendId: string,
    requestId: string,
    keys: string[],
    signed: SignedPromise,
  ): Promise<Purchase | undefined> {
    const purchase = this.#opening(spendId, requestId, keys, signed)
    this.#options.promised?.(spendId, signed.promised, signed.paying)
    if (this.#options.log.isOwned) {
      // Memory has the purchase before the log has its promise, because the log may have taken an append that fails.
      this.purchases.put(purchase)
      await this.secure(purchase)
      return purchase
    }
    this.#promising.set(requestId, purchase)
    try {
      const step = { spend_id: spendId, request_id: requestId }
      if (await this.#decide({ step: 'promised', ...step, keys, ...signed })) {
        purchase.paying = null
        return purchase
      }
      await this.#append({ step: 'yielded', ...step })
      return undefined
    } finally {
      this.#promising.delete(requestId)
    }
  }

  /** Writes the promise unless the log is sure to have it. */
  async secure(purchase: Purchase): Promise<void> {
    if (purchase.isWritten) return
    const { spendId, requestId, keys, promised, paying } = purchase
    await this.#append({
      step: 'promised',
      spend_id: spendId,
      request_id: requestId,
      keys: [...keys],
      ...{ promised, paying },
    })
    purchase.isWritten = true
    purchase.paying = null
  }

  /** Is this process the only one that may work on the purchase? */
  isHeld({ holder }: Purchase): boolean {
    return this.#options.log.isOwned || holder === this.#run
  }

  isHeldElsewhere({ holder }: Purchase): boolean {
    return holder !== undefined && holder !== this.#run && this.#judge.isAlive(holder, this.logNow())
  }

  /** Did another process sell it, which lives? */
  isOfAnother(spendId: string): boolean {
    const purchase = this.purchases.of(spendId)
    return purchase !== undefined && this.isHeldElsewhere(purchase)
  }

  /** Does another instance work on this payment or key? */
  isBusy(thing: string): boolean {
    return this.#judge.isBusy(thing, this.#run, this.logNow())
  }

  /** Takes over a purchase that no live run works on. Resolves with false if another instance was first. */
  take({ spendId, requestId }: Purchase): Promise<boolean> {
    return this.#decide({ step: 'taken', spend_id: spendId, request_id: requestId })
  }

  /** The purchase is settled here at once. The log gets the outcome a moment later, and has the open promise until then. */
  recordSettled(purchase: Purchase, credited: Credited, resolved: boolean): void {
    if (purchase.state !== 'open' && purchase.state !== 'refused') return
    if (purchase.state === 'refused') this.#options.lied?.('refused', purchase.refusedBy)
    this.purchases.settled(purchase, credited, this.logNow())
    const { tx, position = null } = credited
    this.#tell(purchase, 'settled', { resolved, payment_tx: tx, payment_position: position })
    this.#outcomes.add(purchase)
  }

  /** Records a failure. Resolves once the payer may try again. */
  async recordFailed(purchase: Purchase, reason: string, resolved: boolean): Promise<void> {
    const { state } = purchase
    if (state !== 'open' && state !== 'refused') return
    this.purchases.failed(purchase)
    // For a refused payment, analysts already know.
    if (state === 'open') this.#tell(purchase, 'failed', { resolved, reason })
    await this.#freed(purchase)
  }

  /** Records a refusal. The payment may still move money by itself. */
  async recordRefused(purchase: Purchase, reason: string, by: string): Promise<void> {
    if (purchase.state !== 'open') return
    purchase.refusedBy = by
    this.purchases.refused(purchase)
    this.#tell(purchase, 'failed', { reason })
    await this.#freed(purchase)
  }

  async #freed(purchase: Purchase): Promise<void> {
    this.#outcomes.add(purchase)
    if (!this.#options.log.isOwned) await this.#outcomes.write()
  }

  /** Tells analysts that the chain shows the transfer of a purchase that a facilitator called settled. */
  recordConfirmed(purchase: Purchase, credited: Credited, reason: string | null): void {
    const { tx, position = null } = credited
    this.purchases.confirmed(purchase, credited)
    const more = { resolved: true, payment_tx: tx, payment_position: position, reason }
    this.#tell(purchase, 'confirmed', more)
  }

  /** Tells analysts that there is no such transfer. */
  recordRefuted(purchase: Purchase, tx: string, reason: string): void {
    this.#tell(purchase, 'refuted', { resolved: true, payment_tx: tx, reason })
  }

  /** Tells analysts that the outcome is unknown. The purchase stays open. */
  recordDoubt(purchase: Purchase, reason: string): void {
    this.purchases.doubted(purchase)
    this.#tell(purchase, 'unknown', { reason })
  }

  recordDelivered(purchase: Purchase): void {
    this.purchases.delivered(purchase, this.logNow())
    this.#outcomes.add(purchase)
  }

  /** Lets any instance work on it from now on. */
  giveBack(purchase: Purchase): void {
    if (this.#options.log.isOwned || purchase.delivered || purchase.holder !== this.#run) return
    purchase.holder = undefined
    this.#outcomes.add(purchase)
  }

  /** Resolves with undefined if the answer is lost for good. Rejects if it may be readable later. */
  async readAnswer({ promised }: Purchase): Promise<string | undefined> {
    if (promised.answer === '') return undefined
    try {
      return await this.answers.unpack(promised.answer)
    } catch (error) {
      this.#options.onError(error)
      if (error instanceof BlobLost) return undefined
      throw answerUnread()
    }
  }

  /** Carries purchases that outlast the log's retention, and forgets those that nobody can ask for any more. */
  async keep(): Promise<void> {
    const { log } = this.#options
    if (log.isOwned)
      this.#carried.checkpoint.mark(this.logNow(), (await log.end(tillPromises.topic)).get(0) ?? 0n)
    for (const purchase of this.purchases.open) await this.#renew(purchase)
    await this.#owed.keep()
    this.purchases.forget()
    this.unread.forget(this.logNow())
    this.#judge.forget(this.logNow(), spendId => this.purchases.owed(spendId))
    await this.#carried.keep()
    await this.callers.keep()
  }

  async close(): Promise<void> {
    clearInterval(this.#beating)
    await this.#outcomes.close()
    await Promise.all([this.#watching.close(), this.#carried.close(), this.callers.close()])
    this.#closed.resolve()
  }

  async #start(): Promise<void> {
    const { log, onError } = this.#options
    this.#clock.ownAt = this.#options.uptime()
    this.callers = await CallerNames.open(this.#options)
    const from = await this.#carried.read(carried => this.#hearing.restore(carried))
    this.#watching = await log.watch(tillPromises.topic, batch => this.#hearing.read(batch), {
      from: from ?? 'beginning',
    })
    await this.#watching.caughtUp
    if (!log.isOwned) {
      this.#watching.ended.catch(error => this.#readback.end(error))
      await this.#append({ step: 'beat' })
      this.#beating = setInterval(() => {
        this.#readback.sweep()
        this.#append({ step: 'beat' }).catch(onError)
      }, beatMs).unref()
      return
    }
    await this.#watching.close()
    // The run that made these promises is gone, and nobody else has the log.
    for (const purchase of this.purchases.lasting) {
      purchase.holder = this.#run
      if (purchase.state === 'open') this.purchases.doubted(purchase)
    }
  }

  #opening(spendId: string, requestId: string, keys: readonly string[], signed: SignedPromise): Purchase {
    const writtenAt = this.logNow()
    return openPurchase({
      spendId,
      requestId,
      keys,
      ...signed,
      holder: this.#run,
      writtenAt,
      isWritten: false,
    })
  }

  /** Tells analysts a step. The first event about a payment also contains its intent. */
  #tell(purchase: Purchase, state: SettlementEvent['state'], more: More): void {
    const told = settlementOf(purchase, state, instant(this.logNow()), more)
    const intended = settlementOf(purchase, 'intended', purchase.promised.promised_at)
    if (this.#outcomes.tell(purchase, purchase.isTold ? [told] : [intended, told])) purchase.isTold = true
  }

  #outcome(purchase: Purchase): Entry | undefined {
    const step = outcomeOf(purchase)
    if (!step) return undefined
    const { spendId, requestId, tx = null, position = null } = purchase
    const paid = { payment_tx: tx, payment_position: position }
    return this.#entry({ step, spend_id: spendId, request_id: requestId, ...paid })
  }

  #entry(step: Said): Entry {
    return entryOf(this.#run, instant(this.logNow()), step)
  }

  #append(step: Said): Promise<void> {
    return this.#options.log.append(tillPromises.topic, [this.#entry(step)])
  }

  async #decide(step: Said): Promise<boolean> {
    if (!this.#options.log.isOwned) return this.#readback.append(this.#entry(step), nameOf(step))
    await this.#append(step)
    return true
  }

  /** A blob lasts only for a time, so the ledger writes a carried answer again. */
  async #renew(purchase: Purchase): Promise<void> {
    const now = this.logNow()
    if (now - purchase.renewedAt < renewMs) return
    purchase.renewedAt = now
    const { answer } = purchase.promised
    const renewed = await this.answers.renew(answer).catch(error => {
      // The ledger carries the record of the payment even if it cannot carry the answer.
      this.#options.onError(error)
      return answer
    })
    if (renewed !== answer) this.purchases.keepAnswer(purchase, renewed)
  }
}
