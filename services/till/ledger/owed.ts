/**
 * The answers that were paid and not delivered. Their payers may fetch them for seven days, so they leave the memory for the
 * store of blobs. All of it is bounded: what has no room any more is told to the operator, who owes its payer a refund.
 */
import { BlobLost } from '../../../pipelines/rails/blobs/blobs.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { AnswerTexts } from './answer-text.ts'
import { owedMs, type Purchase } from './purchase.ts'
import { marginMs, type Purchases } from './purchases.ts'

/** So many purchases, about 2 KB each in memory, and read at every start. */
const mostOwed = 20_000
/** So many bytes in the store of blobs. */
const storedLimit = 1 << 30
/** A delivery takes less, so younger answers stay where they are. */
const youngMs = 60_000
/** No sweep waits for more than this. */
const stowedAtOnce = 100
/** The answer of a payment without an end. The ledger renews it, and whatever fails leaves nothing behind for longer. */
const openMs = 2 * 60 * 60_000

interface OwedParts {
  purchases: Purchases
  answers: AnswerTexts
  now: () => number
  /** Tells the operator that its answer is kept no longer. */
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
    for (const [nth, purchase] of owed.entries()) if (nth < tooMany || isOver(purchase)) this.#drop(purchase)
    this.#giveUp()
    await this.#stow(purchases.undelivered)
    await this.#stow(this.#endless)
    // What nobody has been charged for, as far as anybody knows, makes room first.
    this.#makeRoom([...this.#endless, ...purchases.undelivered])
    this.#count(purchases.undelivered)
  }

  /** They are open, though the chain takes them no more: it is silent, or cannot be asked. The oldest come first. */
  get #endless(): readonly Purchase[] {
    const { purchases, now } = this.#parts
    return purchases.open.filter(({ promised }) => now() > Date.parse(promised.dead_at) + marginMs)
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
        // The store is away: the record of the payment stays, and the next sweep tries again.
        if (!(error instanceof BlobLost)) return
        // No later try finds it. Whoever asks for it has it made again, and it stands in the way of no other.
        if (purchase.promised.answer === answer) purchases.keepAnswer(purchase, '')
      }
    }
  }

  /** The oldest answers make room. Their purchases stay, and are told to the operator. */
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

  /** A delivery takes up to a minute, so what is younger is on its way. The oldest come first. */
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
