/**
 * Answers that were paid and not delivered. Their payers may fetch them for seven days, so the answers move from the memory to the
 * store of blobs. All of it is bounded. For an answer without room, the operator learns that he owes the payer a refund.
 */
import { BlobLost } from '../../../pipelines/rails/blobs/blobs.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { AnswerTexts } from './answer-text.ts'
import { owedMs, type Purchase, quotedLifeMs } from './purchase.ts'
import { marginMs, type Purchases } from './purchases.ts'

/** The most purchases. Each takes about 2 KB of memory, and every start reads them all. */
const mostOwed = 20_000
/** The most bytes in the store of blobs. */
const storedLimit = 1 << 30
/** A delivery takes less time, so younger answers stay in the memory. */
const youngMs = 60_000
/** The most answers in one sweep, so that no sweep takes long. */
const stowedAtOnce = 100
/** The answer of a payment without an end. The ledger renews it, and whatever fails leaves nothing behind for longer. */
const openMs = 2 * 60 * 60_000

interface OwedParts {
  purchases: Purchases
  answers: AnswerTexts
  now: () => number
  /** Reports to the operator that the answer is no longer kept. */
  giveUp(purchase: Purchase): void
  onError(error: unknown): void
}

export class Owed {
  readonly #parts: OwedParts
  readonly #limits: { count: number; bytes: number }
  readonly #told = new WeakSet<Purchase>()

  constructor(parts: OwedParts, limits = { count: mostOwed, bytes: storedLimit }) {
    this.#parts = parts
    this.#limits = limits
    this.#count([])
  }

  async keep(): Promise<void> {
    const { purchases, now } = this.#parts
    const owed = purchases.undelivered
    const isOver = ({ settledAt }: Purchase) => now() >= settledAt + owedMs
    const tooMany = Math.max(0, owed.length - this.#limits.count)
    for (const [nth, purchase] of owed.entries()) {
      if (!isOver(purchase) && nth >= tooMany) continue
      // A payment that may still live is remembered. Its answer is made again on request.
      if (!isOver(purchase) && purchases.isLong(purchase)) purchases.keepAnswer(purchase, '')
      else this.#drop(purchase)
    }
    this.#giveUp()
    await this.#stow(purchases.undelivered)
    await this.#stow(this.#silent)
    // Answers of which no charge is known make room first.
    this.#makeRoom([...this.#silent, ...purchases.undelivered])
    this.#count(purchases.undelivered)
  }

  /** They are open, though the chain takes them no more: it is silent, or cannot be asked. The oldest come first. */
  get #endless(): readonly Purchase[] {
    const { purchases, now } = this.#parts
    return purchases.open.filter(({ promised }) => now() > Date.parse(promised.dead_at) + marginMs)
  }

  /** They have been open for longer than a payment of our quotes lives. The oldest come first. */
  get #silent(): readonly Purchase[] {
    const { purchases, now } = this.#parts
    return purchases.open.filter(({ promised, writtenAt }) => {
      const end = Math.min(Date.parse(promised.dead_at), writtenAt + quotedLifeMs)
      return now() > end + marginMs
    })
  }

  /** If such a payment comes again, the chain is asked first, as for every one that is forgotten. */
  #giveUp(): void {
    const { purchases, now, onError } = this.#parts
    const endless = this.#endless
    const tooMany = endless.length - this.#limits.count
    for (const [nth, purchase] of endless.entries()) {
      if (nth >= tooMany && now() < purchase.writtenAt + owedMs) continue
      onError(new Error(`nobody can say how the payment of ${purchase.requestId} ended: it is given up`))
      purchases.forgotten(Date.parse(purchase.promised.dead_at))
      purchases.drop(purchase)
    }
  }

  async #stow(owed: readonly Purchase[]): Promise<void> {
    const { purchases, answers, now, onError } = this.#parts
    let stowed = 0
    for (const purchase of owed) {
      const { answer } = purchase.promised
      const isOpen = purchase.state === 'open'
      const until = isOpen ? now() + youngMs : purchase.settledAt + owedMs
      if (stowed >= stowedAtOnce) return
      if (now() - purchase.writtenAt < youngMs || !answers.needsPlace(answer, until)) continue
      stowed++
      try {
        const place = await answers.stow(answer, isOpen ? openMs : until - now())
        if (purchase.promised.answer === answer) purchases.keepAnswer(purchase, place)
      } catch (error) {
        onError(error)
        // The store is away. The record of the payment stays, and the next sweep tries again.
        if (!(error instanceof BlobLost)) return
        // The answer is lost for good. It is made again on request, and no longer holds up the others.
        if (purchase.promised.answer === answer) purchases.keepAnswer(purchase, '')
      }
    }
  }

  /** Removes the oldest answers. Their purchases stay, and the operator learns of them. */
  #makeRoom(owed: readonly Purchase[]): void {
    const { purchases, answers } = this.#parts
    let bytes = owed.reduce((sum, { promised }) => sum + answers.storedBytes(promised.answer), 0)
    for (const purchase of owed) {
      if (bytes <= this.#limits.bytes) return
      const own = answers.storedBytes(purchase.promised.answer)
      if (own === 0) continue
      bytes -= own
      if (purchase.state === 'settled') this.#tell(purchase)
      purchases.keepAnswer(purchase, '')
    }
  }

  /** Counts the owed answers, oldest first. A delivery takes up to a minute, so younger ones are still on their way. */
  #count(undelivered: readonly Purchase[]): void {
    const { answers, now } = this.#parts
    const owed = undelivered.filter(({ settledAt }) => now() - settledAt >= youngMs)
    const bytesOf = ({ promised: { answer } }: Purchase) => answers.storedBytes(answer) || answer.length
    metrics.answersOwed.set(owed.length)
    metrics.answersOwedBytes.set(owed.reduce((sum, purchase) => sum + bytesOf(purchase), 0))
    const oldest = Math.min(now(), ...owed.slice(0, 1).map(({ settledAt }) => settledAt))
    metrics.answersOwedOldestSeconds.set((now() - oldest) / 1000)
  }

  #drop(purchase: Purchase): void {
    this.#tell(purchase)
    this.#parts.purchases.drop(purchase)
  }

  #tell(purchase: Purchase): void {
    if (this.#told.has(purchase)) return
    this.#told.add(purchase)
    this.#parts.giveUp(purchase)
  }
}
