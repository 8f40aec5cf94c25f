/** The till's memory of purchases: what became of each, and which answers may still be asked for. */
import { metrics } from '../../../pipelines/metrics.ts'
import { type Intent, tillIntents } from '../../../schemas/till-intents.ts'

export interface Purchase {
  spendId: string
  requestId: string
  intent: Intent
  state: 'open' | 'settled' | 'failed'
  tx: string | undefined
  /** By the log's clock. */
  settledAt: number
  delivered: boolean
  /** Money may have moved for it, and nobody could tell. */
  doubted: boolean
  /** When the log last took the intent, by its clock; 0 where it did not say so. */
  writtenAt: number
}

export const openPurchase = (spendId: string, requestId: string, intent: Intent): Purchase => ({
  spendId,
  requestId,
  intent,
  state: 'open',
  tx: undefined,
  settledAt: 0,
  delivered: false,
  doubted: false,
  writtenAt: 0,
})

/** The log keeps intents for this long. An undelivered answer is kept here for as long. */
export const keepMs = (tillIntents.topic.keep as { ms: number }).ms
const replayMs = 10 * 60_000
const marginMs = 60_000
/** Packed answers in memory, in characters. */
const answersLimit = 256 << 20
const transactionsLimit = 100_000

export class Purchases {
  readonly #logNow: () => number
  readonly #bySpend = new Map<string, Purchase>()
  readonly #byKey = new Map<string, Purchase>()
  /** Which spend a transaction has paid for. */
  readonly #byTransaction = new Map<string, string>()
  readonly #open = new Set<Purchase>()
  #answersLength = 0

  constructor(logNow: () => number) {
    this.#logNow = logNow
  }

  of(spendId: string): Purchase | undefined {
    return this.#bySpend.get(spendId)
  }

  ofKey(key: string): Purchase | undefined {
    return this.#byKey.get(key)
  }

  owed(spendId: string): boolean {
    const purchase = this.#bySpend.get(spendId)
    return purchase !== undefined && !purchase.delivered && (purchase.state === 'settled' || purchase.doubted)
  }

  /** The oldest first. */
  get open(): readonly Purchase[] {
    return [...this.#open]
  }

  replayable(purchase: Purchase): boolean {
    return purchase.state === 'settled' && this.#logNow() - purchase.settledAt < replayMs
  }

  /** A transaction pays for one spend. A facilitator that names it for another one is not believed. */
  paidAnother(tx: string, spendId: string): boolean {
    return (this.#byTransaction.get(tx.toLowerCase()) ?? spendId) !== spendId
  }

  put(purchase: Purchase): void {
    this.#bySpend.set(purchase.spendId, purchase)
    this.#open.add(purchase)
    for (const key of purchase.intent.keys) this.#byKey.set(key, purchase)
    this.#answersLength += purchase.intent.answer.length
    if (this.#answersLength > answersLimit) this.#makeRoom()
  }

  settled(purchase: Purchase, tx: string, at: number): void {
    purchase.state = 'settled'
    purchase.tx = tx
    purchase.settledAt = at
    this.#open.delete(purchase)
    if (purchase.doubted) this.#count()
    this.#byTransaction.set(tx.toLowerCase(), purchase.spendId)
    for (const oldest of this.#byTransaction.keys()) {
      if (this.#byTransaction.size <= transactionsLimit) break
      this.#byTransaction.delete(oldest)
    }
  }

  failed(purchase: Purchase): void {
    purchase.state = 'failed'
    this.#drop(purchase)
    if (purchase.doubted) this.#count()
  }

  doubted(purchase: Purchase): void {
    purchase.doubted = true
    this.#count()
  }

  /** Once its payer has the answer, it is kept for its keys alone. */
  delivered(purchase: Purchase): void {
    purchase.delivered = true
    if (purchase.intent.keys.length === 0) this.#dropAnswer(purchase)
  }

  /** From now on this is the answer, packed. */
  keepAnswer(purchase: Purchase, answer: string, madeAt = purchase.intent.intended_at): void {
    this.#answersLength += answer.length - purchase.intent.answer.length
    purchase.intent = { ...purchase.intent, answer, intended_at: madeAt }
  }

  /** Drops what nobody can ask for any more. */
  forget(): void {
    const now = this.#logNow()
    for (const purchase of this.#bySpend.values()) {
      const { intent, state, delivered, settledAt } = purchase
      const needed =
        state === 'open' ||
        now < Date.parse(intent.dead_at) + marginMs ||
        (intent.keys.length > 0 && now < settledAt + replayMs) ||
        (!delivered && now < settledAt + keepMs)
      if (!needed) this.#drop(purchase)
    }
    this.#count()
  }

  /** The oldest keys lose the rest of their ten minutes, so that there is memory for new ones. */
  #makeRoom(): void {
    for (const purchase of this.#bySpend.values()) {
      if (this.#answersLength <= answersLimit) return
      if (!purchase.delivered) continue
      this.#dropKeys(purchase)
      this.#dropAnswer(purchase)
    }
  }

  #count(): void {
    metrics.unresolved.set([...this.#open].filter(purchase => purchase.doubted).length)
  }

  #drop(purchase: Purchase): void {
    this.#open.delete(purchase)
    if (this.#bySpend.get(purchase.spendId) === purchase) this.#bySpend.delete(purchase.spendId)
    this.#dropKeys(purchase)
    this.#dropAnswer(purchase)
  }

  #dropKeys(purchase: Purchase): void {
    for (const key of purchase.intent.keys) if (this.#byKey.get(key) === purchase) this.#byKey.delete(key)
    purchase.intent = { ...purchase.intent, keys: [] }
  }

  #dropAnswer(purchase: Purchase): void {
    this.keepAnswer(purchase, '')
  }
}
