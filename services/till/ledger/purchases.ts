/** The till's memory of purchases: their outcomes, and the answers that somebody may still ask for. */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Charged, Word } from '../../offer/errors.ts'
import { type Credited, Credits } from './credits.ts'
import { boughtBy, isGone } from './fate.ts'
import { keptMs, owedMs, type Purchase, replayMs } from './purchase.ts'

/** The memory holds every payment for this time after the chain takes it no more. */
export const marginMs = 60_000
/** The limit of packed answers in memory, in characters. */
const answersLimit = 256 << 20
/** The limit of delivered purchases whose answers are kept, about 2 KB each beside the answer. */
const mostKept = 200_000
/** What became of so many older ones is told without a look at the chain, about 300 bytes each. */
const mostFates = 50_000
/** The limit of those that are not delivered yet. Nothing is sold above it. */
const undeliveredLimit = 64 << 20
const forgottenAtOnce = 5000
/** Refused payments that are watched, about 1 KB each. */
const mostRefused = 10_000
/** The limit of the secrets that they keep, in characters. */
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
  /** The oldest first. */
  readonly #refused = new Set<Purchase>()
  /** The purchases that are delivered and whose answers are kept, the oldest first. */
  readonly #kept = new Set<Purchase>()
  /** What became of purchases that are forgotten. */
  readonly #fates = new Bounded<Charged>({ most: mostFates })
  #walk: Iterator<Purchase>
  #answersLength = 0
  #undeliveredLength = 0
  #forgottenTo = 0
  #latestDeadAt = 0

  /** `run` is this run of this process. `uptime` is a clock that nobody turns. */
  constructor(run: string, logNow: () => number, uptime: () => number = () => performance.now()) {
    this.#run = run
    this.#logNow = logNow
    this.#uptime = uptime
    this.#walk = this.#bySpend.values()
    // An operator must see that nothing is open, and not that nobody says so.
    this.#count()
  }

  of(spendId: string): Purchase | undefined {
    return this.#bySpend.get(spendId)
  }

  ofKey(key: string): Purchase | undefined {
    return this.#byKey.get(key)
  }

  /**
   * Whether a payment may have been sold and forgotten, whose `deadAt` was this or later. A clock that was wrong for a while
   * makes that true of payments that are good still.
   */
  mayHaveForgotten(deadAt: number): boolean {
    return deadAt <= this.#forgottenTo
  }

  /** What was settled and dead by then may be known no more. */
  forgotten(to: number): void {
    if (to > this.#forgottenTo) this.#forgottenTo = to
  }

  /** Every payment of which this memory has ever heard was dead by then. */
  get latestDeadAt(): number {
    return Math.max(this.#latestDeadAt, this.#forgottenTo)
  }

  /** Whether money may have moved for it while its payer has no answer. */
  owed(spendId: string): boolean {
    const purchase = this.#bySpend.get(spendId)
    if (!purchase || purchase.delivered || purchase.state === 'refused') return false
    return purchase.state === 'settled' || purchase.doubted || purchase.holder !== this.#run
  }

  /** What an error must say that is told beside this payment. */
  word(spendId: string): Word {
    const purchase = this.#bySpend.get(spendId)
    if (!purchase) return this.#fates.peek(spendId) ?? false
    if (purchase.state === 'refused') return false
    return purchase.tx === undefined ? null : { tx: purchase.tx, ...boughtBy(purchase) }
  }

  /** The purchases that are open, or settled and not delivered, the oldest first. */
  get lasting(): readonly Purchase[] {
    const now = this.#logNow()
    return [...this.#lasting].filter(purchase => this.#isNeeded(purchase, now))
  }

  /** What is settled and not delivered, the oldest first. */
  get undelivered(): readonly Purchase[] {
    return [...this.#lasting].filter(({ state }) => state === 'settled')
  }

  /** Whether no more answers can be promised before some are delivered, or have left the memory. */
  get isFull(): boolean {
    return this.#undeliveredLength > undeliveredLimit
  }

  get open(): readonly Purchase[] {
    return this.lasting.filter(({ state }) => state === 'open')
  }

  /** What a payment has bought, or may have. A refused one may buy like a new one. */
  taken(spendId: string): Purchase | undefined {
    const known = this.#bySpend.get(spendId)
    return known?.state === 'refused' ? undefined : known
  }

  /** The first promise for a payment that was refused since. */
  refusedSince(spendId: string): string | null {
    const { since, promised_at } = this.#bySpend.get(spendId)?.promised ?? {}
    return since ?? promised_at ?? null
  }

  /** The payments that were refused and may still move money, the oldest first. */
  get watched(): readonly Purchase[] {
    return [...this.#refused]
  }

  replayable(purchase: Purchase): boolean {
    return purchase.state === 'settled' && this.#logNow() - purchase.settledAt < replayMs
  }

  /** Whether this transfer was credited to another spend. */
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
    this.#refused.delete(purchase)
    if (purchase.doubted) this.#count()
    this.#credits.take(purchase.promised.network, { tx, position }, purchase.spendId)
  }

  /** The chain shows the transfer that a facilitator has named. */
  confirmed({ spendId, requestId, promised }: Purchase, { tx, position }: Credited): void {
    const known = this.#bySpend.get(spendId)
    if (known?.requestId === requestId) Object.assign(known, { tx, position })
    this.#credits.take(promised.network, { tx, position }, spendId)
  }

  /** Its keys may buy with another payment. If its money moves late, its answer is made again, unless it holds a secret. */
  refused(purchase: Purchase): void {
    if (purchase.state !== 'open') return
    purchase.state = 'refused'
    this.#dropKeys(purchase)
    this.#refused.add(purchase)
    if (purchase.promised.holds_secret) this.#boundSecrets()
    else this.keepAnswer(purchase, '')
    for (const oldest of this.#refused) {
      if (this.#refused.size <= mostRefused) break
      this.drop(oldest)
    }
    if (purchase.doubted) this.#count()
  }

  failed(purchase: Purchase): void {
    purchase.state = 'failed'
    this.drop(purchase)
    if (purchase.doubted) this.#count()
  }

  doubted(purchase: Purchase): void {
    if (purchase.doubted) return
    purchase.doubted = true
    this.#count()
  }

  /** What has left may still be lost on its way, so the till keeps it for its keys, its payer and, shorter, its caller. */
  delivered(purchase: Purchase, at: number): void {
    if (purchase.delivered) return
    purchase.delivered = true
    purchase.deliveredAt = at
    this.#deleteLasting(purchase)
    this.#kept.add(purchase)
    if (this.#kept.size > mostKept) this.#makeRoom()
  }

  /** Until when the answer of a settled purchase is kept. */
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

  /** Its keys and its answer. What became of it is known still. */
  #letGo(purchase: Purchase): void {
    this.#dropKeys(purchase)
    this.keepAnswer(purchase, '')
  }

  drop(purchase: Purchase): void {
    const { spendId, state, tx, promised } = purchase
    if (state === 'settled' && tx !== undefined) {
      this.#fates.set(spendId, { tx, ...boughtBy(purchase, { isOver: true }) })
      this.forgotten(Date.parse(promised.dead_at))
    }
    this.#deleteLasting(purchase)
    this.#refused.delete(purchase)
    if (this.#bySpend.get(purchase.spendId) === purchase) this.#bySpend.delete(purchase.spendId)
    this.#dropKeys(purchase)
    this.keepAnswer(purchase, '')
  }

  /** For as long as it may live, by its own word. */
  #hold(purchase: Purchase): void {
    const { dead_at, promised_at } = purchase.promised
    const deadAt = Date.parse(dead_at)
    const lifeMs = Math.max(0, deadAt - Date.parse(promised_at))
    purchase.heldUntil = this.#uptime() + lifeMs + marginMs
    this.#latestDeadAt = Math.max(this.#latestDeadAt, deadAt)
  }

  #isNeeded(purchase: Purchase, now: number): boolean {
    const { promised, state, delivered, heldUntil } = purchase
    if (state === 'open' || state === 'refused' || this.#uptime() < heldUntil) return true
    if (now < Date.parse(promised.dead_at) + marginMs) return true
    if (isGone(purchase)) return false
    // What is owed is dropped, and told, where its bounds are.
    return now < this.keptUntil(purchase) + (delivered ? 0 : marginMs)
  }

  /** The oldest secrets make room, because a refused payment costs nothing. */
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

  /** Takes the rest of their ten minutes from the oldest answers, so that there is memory for new ones. */
  #makeRoom(): void {
    for (const purchase of this.#kept) {
      if (this.#answersLength <= answersLimit && this.#kept.size <= mostKept) return
      this.#letGo(purchase)
    }
  }

  #count(): void {
    metrics.unresolved.set(this.open.filter(purchase => purchase.doubted).length)
  }

  #dropKeys(purchase: Purchase): void {
    for (const key of purchase.keys) if (this.#byKey.get(key) === purchase) this.#byKey.delete(key)
    purchase.keys = []
    this.#kept.delete(purchase)
  }
}
