/** The till's memory of purchases: their outcomes, and the answers that somebody may still ask for. */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Charged, Word } from '../../offer/errors.ts'
import { type Credited, Credits } from './credits.ts'
import { boughtBy, isGone } from './fate.ts'
import { Left } from './left.ts'
import { keptMs, longestLifeMs, outlastsQuote, owedMs, type Purchase, replayMs } from './purchase.ts'

/** The memory holds every payment for this time after the chain no longer takes it. */
export const marginMs = 60_000
/** The limit of packed answers in memory, in characters. */
const answersLimit = 256 << 20
/** The limit of delivered purchases whose answers are kept, about 2 KB each beside the answer. */
const mostKept = 200_000
/** The most forgotten purchases whose fate is known without a look at the chain, about 300 bytes each. */
const mostFates = 50_000
/** The limit of undelivered answers in memory, in characters. Above it nothing is sold. */
const undeliveredLimit = 64 << 20
const forgottenAtOnce = 5000
/** The most refused payments under watch, about 1 KB each. */
const mostRefused = 10_000
/**
 * The most payments that live longer than those of our quotes and are open or owed, about 1 KB each. With so many no more are taken.
 * Those that are refused, or delivered and kept no longer, have a bound of their own, and leave the memory before they are dead.
 */
const mostLong = 50_000
const mostLongOver = 50_000
/** The limit of the secrets of refused payments, in characters. */
const refusedLimit = 4 << 20

export class Purchases {
  readonly #logNow: () => number
  readonly #uptime: () => number
  readonly #run: string
  readonly #bySpend = new Map<string, Purchase>()
  readonly #byKey = new Map<string, Purchase>()
  readonly #credits = new Credits()
  /** The purchases that are open or watched, or settled and not delivered. */
  readonly #lasting = new Set<Purchase>()
  /** The oldest first: all, and those without a long life. */
  readonly #refused = new Set<Purchase>()
  readonly #shortRefused = new Set<Purchase>()
  /** Those whose payments live longer than those of our quotes. */
  readonly #long = new Set<Purchase>()
  /** Those of them that are open or owed, and those that have ended and wait for nothing but their death, oldest first. */
  readonly #longDue = new Set<Purchase>()
  readonly #longOver = new Set<Purchase>()
  /** What has left the memory while it may still live. */
  readonly #left: Left
  #leftTo = 0
  /** Those that are open and doubted. */
  readonly #unresolved = new Set<Purchase>()
  /** The delivered purchases with kept answers, oldest first. */
  readonly #kept = new Set<Purchase>()
  /** The fates of forgotten purchases. */
  readonly #fates = new Bounded<Charged>({ most: mostFates })
  #walk: Iterator<Purchase>
  #answersLength = 0
  #undeliveredLength = 0
  #forgottenTo = 0
  #latestDeadAt = 0

  /** `run` is this run of this process. `uptime` is a clock that nobody can set. */
  constructor(run: string, logNow: () => number, uptime: () => number = () => performance.now()) {
    this.#run = run
    this.#logNow = logNow
    this.#uptime = uptime
    this.#left = new Left(uptime, longestLifeMs + marginMs)
    this.#walk = this.#bySpend.values()
    // Sets the gauges to zero, so that an operator sees "nothing is open" and not a missing value.
    this.#count()
  }

  of(spendId: string): Purchase | undefined {
    return this.#bySpend.get(spendId)
  }

  ofKey(key: string): Purchase | undefined {
    return this.#byKey.get(key)
  }

  /**
   * May this payment, with this `deadAt` or a later one, have been promised and forgotten? After a wrong clock, that may be true even
   * of payments that are still good.
   */
  mayHaveForgotten(deadAt: number, spendId: string): boolean {
    return deadAt <= this.#forgottenTo || this.#left.mayHave(spendId)
  }

  /** Notes that the memory may have lost settled payments that were dead by then. */
  forgotten(to: number): void {
    if (to > this.#forgottenTo) this.#forgottenTo = to
  }

  /** By then every payment that this memory has known was dead, but for those of `long`. */
  get latestDeadAt(): number {
    return Math.max(this.#latestDeadAt, this.#forgottenTo)
  }

  /** By then every payment was dead that has left the memory before its time. A start knows no bits of them. */
  get leftTo(): number {
    return this.#leftTo
  }

  /** May money have moved for it while its payer has no answer? */
  owed(spendId: string): boolean {
    const purchase = this.#bySpend.get(spendId)
    if (!purchase || purchase.delivered || purchase.state === 'refused') return false
    return purchase.state === 'settled' || purchase.doubted || purchase.holder !== this.#run
  }

  /** The word about a charge that an error beside this payment must carry. */
  word(spendId: string): Word {
    const purchase = this.#bySpend.get(spendId)
    if (!purchase) return this.#fates.peek(spendId) ?? false
    if (purchase.state === 'refused') return false
    return purchase.tx === undefined ? null : { tx: purchase.tx, ...boughtBy(purchase) }
  }

  /** The purchases that are open, or settled and not delivered, oldest first. */
  get lasting(): readonly Purchase[] {
    const now = this.#logNow()
    return [...this.#lasting].filter(purchase => this.#isNeeded(purchase, now))
  }

  /** The settled purchases without a delivery, oldest first. */
  get undelivered(): readonly Purchase[] {
    return this.#lastingIn('settled')
  }

  /** True if no more answers can be promised until some are delivered or leave the memory. */
  get isFull(): boolean {
    return this.#undeliveredLength > undeliveredLimit
  }

  /** The purchases whose payments live longer than those of our quotes, oldest first. */
  get long(): Iterable<Purchase> {
    return this.#long
  }

  get isFullOfLong(): boolean {
    return this.#longDue.size >= mostLong
  }

  isLong(purchase: Purchase): boolean {
    return this.#long.has(purchase)
  }

  isLasting(purchase: Purchase): boolean {
    return this.#lasting.has(purchase)
  }

  get open(): readonly Purchase[] {
    const now = this.#logNow()
    return this.#lastingIn('open').filter(purchase => this.#isNeeded(purchase, now))
  }

  /** A sweep asks several times, and strangers may have a hundred thousand refused ones among them. */
  #lastingIn(state: Purchase['state']): Purchase[] {
    const found: Purchase[] = []
    for (const purchase of this.#lasting) if (purchase.state === state) found.push(purchase)
    return found
  }

  /** The purchase that a payment has bought, or may have bought. A refused payment may buy like a new one. */
  taken(spendId: string): Purchase | undefined {
    const known = this.#bySpend.get(spendId)
    return known?.state === 'refused' ? undefined : known
  }

  /** The first promise for a payment that was refused since. */
  refusedSince(spendId: string): string | null {
    const { since, promised_at } = this.#bySpend.get(spendId)?.promised ?? {}
    return since ?? promised_at ?? null
  }

  /** The refused payments that may still move money, oldest first. */
  get watched(): readonly Purchase[] {
    return [...this.#refused]
  }

  replayable(purchase: Purchase): boolean {
    return purchase.state === 'settled' && this.#logNow() - purchase.settledAt < replayMs
  }

  /** Was this transfer credited to another spend? */
  paidAnother({ spendId, promised }: Purchase, transfer: Credited): boolean {
    return this.#credits.isTaken(promised.network, transfer, spendId)
  }

  put(purchase: Purchase): void {
    const former = this.#bySpend.get(purchase.spendId)
    if (former && former !== purchase) this.drop(former)
    this.#bySpend.set(purchase.spendId, purchase)
    this.#hold(purchase)
    this.#addLasting(purchase)
    for (const key of purchase.keys) this.#byKey.set(key, purchase)
    this.#answersLength += purchase.promised.answer.length
    if (this.#answersLength > answersLimit) this.#makeRoom()
  }

  settled(purchase: Purchase, { tx, position }: Credited, at: number): void {
    if (purchase.state === 'settled') return
    purchase.state = 'settled'
    purchase.tx = tx
    purchase.position = position
    purchase.settledAt = at
    this.#unwatch(purchase)
    if (this.#longOver.delete(purchase)) this.#longDue.add(purchase)
    this.#resolved(purchase)
    this.#credits.take(purchase.promised.network, { tx, position }, purchase.spendId)
  }

  /** Notes that the chain shows the transfer that a facilitator named. */
  confirmed({ spendId, requestId, promised }: Purchase, { tx, position }: Credited): void {
    const known = this.#bySpend.get(spendId)
    if (known?.requestId === requestId) Object.assign(known, { tx, position })
    this.#credits.take(promised.network, { tx, position }, spendId)
  }

  /** Frees its keys for another payment. If its money moves late, its answer is made again, unless the answer holds a secret. */
  refused(purchase: Purchase): void {
    if (purchase.state !== 'open') return
    purchase.state = 'refused'
    this.#dropKeys(purchase)
    this.#refused.add(purchase)
    if (this.#long.has(purchase)) this.#longIsOver(purchase)
    else this.#shortRefused.add(purchase)
    if (purchase.promised.holds_secret) this.#boundSecrets()
    else this.keepAnswer(purchase, '')
    this.#boundRefused()
    this.#resolved(purchase)
  }

  failed(purchase: Purchase): void {
    purchase.state = 'failed'
    this.drop(purchase)
  }

  doubted(purchase: Purchase): void {
    if (purchase.doubted) return
    purchase.doubted = true
    if (purchase.state === 'open') this.#unresolved.add(purchase)
    this.#count()
  }

  /**
   * Marks it delivered. The answer may still be lost on its way, so the till keeps it for its keys and its payer, and for a shorter
   * time for its caller.
   */
  delivered(purchase: Purchase, at: number): void {
    if (purchase.delivered) return
    purchase.delivered = true
    purchase.deliveredAt = at
    this.#deleteLasting(purchase)
    this.#longDue.delete(purchase)
    this.#kept.add(purchase)
    if (this.#kept.size > mostKept) this.#makeRoom()
  }

  /** The time until which the answer of a settled purchase is kept. */
  keptUntil({ delivered, deliveredAt, settledAt }: Purchase): number {
    return delivered ? deliveredAt + keptMs : settledAt + owedMs
  }

  /** Replaces the packed answer. */
  keepAnswer(purchase: Purchase, answer: string, madeAt = purchase.promised.promised_at): void {
    const more = answer.length - purchase.promised.answer.length
    this.#answersLength += more
    if (this.#lasting.has(purchase)) this.#undeliveredLength += more
    purchase.promised = { ...purchase.promised, answer, promised_at: madeAt }
  }

  /** Drops purchases that nobody can ask for any more. It checks a few each time, because there may be many. */
  forget(): void {
    const now = this.#logNow()
    for (let seen = 0; seen < forgottenAtOnce; seen++) {
      const { value: purchase, done } = this.#walk.next()
      if (done) {
        this.#walk = this.#bySpend.values()
        return
      }
      if (!this.#isNeeded(purchase, now)) this.drop(purchase)
      else if (purchase.delivered && now >= this.keptUntil(purchase)) this.#letGo(purchase)
    }
  }

  /** Drops its keys and its answer. Its fate stays known. */
  #letGo(purchase: Purchase): void {
    this.#dropKeys(purchase)
    this.keepAnswer(purchase, '')
    if (this.#long.has(purchase)) this.#longIsOver(purchase)
  }

  drop(purchase: Purchase): void {
    const { spendId, state, tx } = purchase
    if (state === 'settled' && tx !== undefined) {
      this.#fates.set(spendId, { tx, ...boughtBy(purchase, { isOver: true }) })
      this.#leave(purchase)
    }
    this.#deleteLasting(purchase)
    this.#unwatch(purchase)
    this.#long.delete(purchase)
    this.#longDue.delete(purchase)
    this.#longOver.delete(purchase)
    this.#resolved(purchase)
    if (this.#bySpend.get(purchase.spendId) === purchase) this.#bySpend.delete(purchase.spendId)
    this.#dropKeys(purchase)
    this.keepAnswer(purchase, '')
  }

  /** Holds it for as long as the payment may live, by its own word. */
  #hold(purchase: Purchase): void {
    const { dead_at, promised_at } = purchase.promised
    const deadAt = Date.parse(dead_at)
    const lifeMs = Math.max(0, deadAt - Date.parse(promised_at))
    purchase.heldUntil = this.#uptime() + lifeMs + marginMs
    if (outlastsQuote(lifeMs)) {
      this.#long.add(purchase)
      this.#longDue.add(purchase)
    } else this.#latestDeadAt = Math.max(this.#latestDeadAt, deadAt)
  }

  #isNeeded(purchase: Purchase, now: number): boolean {
    const { state, delivered } = purchase
    if (state === 'open' || state === 'refused' || this.#mayLive(purchase, now)) return true
    if (isGone(purchase)) return false
    // Owed answers have their own bounds, which drop them and report them.
    return now < this.keptUntil(purchase) + (delivered ? 0 : marginMs)
  }

  #mayLive({ promised, heldUntil }: Purchase, now: number): boolean {
    return this.#uptime() < heldUntil || now < Date.parse(promised.dead_at) + marginMs
  }

  /** Notes a purchase that leaves the memory: its payment may come again, and the chain is asked about it then. */
  #leave(purchase: Purchase): void {
    const deadAt = Date.parse(purchase.promised.dead_at)
    if (this.#mayLive(purchase, this.#logNow())) {
      this.#left.add(purchase.spendId)
      this.#leftTo = Math.max(this.#leftTo, deadAt)
    } else this.forgotten(deadAt)
  }

  /** Drops the oldest. Somebody may send it still, so it is known by its bits. */
  #boundRefused(): void {
    for (const oldest of this.#shortRefused) {
      if (this.#shortRefused.size <= mostRefused) return
      this.#leave(oldest)
      this.drop(oldest)
    }
  }

  #unwatch(purchase: Purchase): void {
    this.#refused.delete(purchase)
    this.#shortRefused.delete(purchase)
  }

  /** Nobody waits for it any more. It only has to be known until it is dead, and of too many that is a matter of bits. */
  #longIsOver(purchase: Purchase): void {
    this.#longDue.delete(purchase)
    this.#longOver.add(purchase)
    for (const oldest of this.#longOver) {
      if (this.#longOver.size <= mostLongOver) return
      if (oldest.state === 'refused') this.#leave(oldest)
      this.drop(oldest)
    }
  }

  /** Drops the oldest secrets, because a refused payment costs nothing. */
  #boundSecrets(): void {
    let length = 0
    for (const purchase of [...this.#refused].reverse()) {
      length += purchase.promised.answer.length
      if (length > refusedLimit) this.keepAnswer(purchase, '')
    }
  }

  #addLasting(purchase: Purchase): void {
    if (this.#lasting.has(purchase)) return
    this.#lasting.add(purchase)
    this.#undeliveredLength += purchase.promised.answer.length
  }

  #deleteLasting(purchase: Purchase): void {
    if (this.#lasting.delete(purchase)) this.#undeliveredLength -= purchase.promised.answer.length
  }

  /** Drops the oldest kept answers before their ten minutes are over, so that new ones have room. */
  #makeRoom(): void {
    for (const purchase of this.#kept) {
      if (this.#answersLength <= answersLimit && this.#kept.size <= mostKept) return
      this.#letGo(purchase)
    }
  }

  #resolved(purchase: Purchase): void {
    if (this.#unresolved.delete(purchase)) this.#count()
  }

  #count(): void {
    metrics.unresolved.set(this.#unresolved.size)
  }

  #dropKeys(purchase: Purchase): void {
    for (const key of purchase.keys) if (this.#byKey.get(key) === purchase) this.#byKey.delete(key)
    purchase.keys = []
    this.#kept.delete(purchase)
  }
}
