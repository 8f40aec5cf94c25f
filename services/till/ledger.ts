/** The ledger: every purchase of this till and of its other instances. It reads the log at start, and writes there first. */
import { BlobLost, type Blobs } from '../../pipelines/blobs/blobs.ts'
import type { Entry, Log, Received, Watching } from '../../pipelines/log/log.ts'
import { type SettlementEvent, settlements } from '../../schemas/settlements.ts'
import { type Intent, type TillStep, tillIntents } from '../../schemas/till-intents.ts'
import { instant } from '../../schemas/values.ts'
import { answerUnread } from './failures.ts'
import { type AnswerTexts, answerTexts } from './ledger/answer-text.ts'
import { keepMs, openPurchase, type Purchase, Purchases } from './ledger/purchases.ts'

export interface LedgerOptions {
  log: Log
  blobs: Blobs
  /** Names this run of this process. It need not read what it wrote itself. */
  process: string
  logNow: () => number
  onError: (error: unknown) => void
}

type More = Partial<Pick<TillStep, 'intent' | 'payment_tx'>>

const markEveryMs = 25

export class Ledger {
  readonly purchases: Purchases
  readonly answers: AnswerTexts
  readonly #options: LedgerOptions
  readonly #own: string
  /** Records that the log could not take when they became true. */
  #unwritten: (() => Promise<void>)[] = []
  #marks: Entry[] = []
  #marking: NodeJS.Timeout | undefined
  #watching!: Watching

  private constructor(options: LedgerOptions) {
    this.#options = options
    this.#own = `{"by":${JSON.stringify(options.process)},`
    this.purchases = new Purchases(options.logNow)
    // An open purchase is carried in time; a settled one is kept for `keepMs` after that.
    this.answers = answerTexts(options.blobs, 2 * keepMs)
  }

  static async open(options: LedgerOptions): Promise<Ledger> {
    const ledger = new Ledger(options)
    ledger.#watching = await options.log.watch(tillIntents.topic, batch => ledger.#read(batch))
    await ledger.#watching.caughtUp
    return ledger
  }

  get ended(): Promise<void> {
    return this.#watching.ended
  }

  /** Resolves once all that any instance wrote before this call is known here. */
  async catchUp(): Promise<void> {
    await this.#watching.reached(await this.#options.log.end(tillIntents.topic))
  }

  /** Writes the intent of a new purchase. Rejects when the log cannot take it: then nothing may be settled. */
  async recordIntent(spendId: string, requestId: string, intent: Intent): Promise<Purchase> {
    const purchase = openPurchase(spendId, requestId, intent)
    // The purchase is known before its intent is written, because an append that fails may have been taken all the same.
    this.purchases.put(purchase)
    await this.secureIntent(purchase)
    return purchase
  }

  /** Resolves with undefined when the answer is lost for good. Rejects when it may be read later. */
  async readAnswer({ intent }: Purchase): Promise<string | undefined> {
    try {
      return await this.answers.unpack(intent.answer)
    } catch (error) {
      this.#options.onError(error)
      if (error instanceof BlobLost) return undefined
      throw answerUnread()
    }
  }

  /** Writes the intent unless the log is known to have it. */
  async secureIntent(purchase: Purchase): Promise<void> {
    if (purchase.writtenAt > 0) return
    const { intent } = purchase
    await this.#write(purchase, 'intended', { intent })
    purchase.writtenAt = this.#options.logNow()
    // Analysts are told after the fact, so every intent that they see gets an end. No call waits for this.
    const settlement = settlementOf(purchase, 'intended', this.#at())
    void this.#insist(() => this.#appendSettlement(settlement)).catch(this.#options.onError)
  }

  /** The purchase is settled here at once, even if the log cannot take it: its intent is enough to find the end again. */
  async recordSettled(purchase: Purchase, tx: string, resolved: boolean): Promise<void> {
    this.purchases.settled(purchase, tx, this.#options.logNow())
    const settlement = settlementOf(purchase, 'settled', this.#at(), { resolved, payment_tx: tx })
    await this.#insist(() => this.#write(purchase, 'settled', { payment_tx: tx }, settlement))
  }

  async recordFailed(purchase: Purchase, reason: string, resolved: boolean): Promise<void> {
    this.purchases.failed(purchase)
    const settlement = settlementOf(purchase, 'failed', this.#at(), { resolved, reason })
    await this.#insist(() => this.#write(purchase, 'failed', {}, settlement))
  }

  /** Tells analysts that nobody knows how the purchase ended. It stays open. */
  async recordDoubt(purchase: Purchase, reason: string): Promise<void> {
    this.purchases.doubted(purchase)
    await this.#appendSettlement(settlementOf(purchase, 'unknown', this.#at(), { reason }))
  }

  /** No call waits for this mark, so marks are gathered into one append. If a crash loses one, the answer is given again. */
  recordDelivered(purchase: Purchase): void {
    this.purchases.delivered(purchase)
    this.#marks.push(this.#record(purchase, 'delivered'))
    this.#marking ??= setTimeout(() => void this.#mark(), markEveryMs)
  }

  /** Tries again to write what the log could not take. */
  async writeMissing(): Promise<void> {
    for (const write of this.#unwritten.splice(0)) await this.#insist(write)
  }

  /** Writes the intent of an open purchase again before the log drops it. */
  async carry(purchase: Purchase): Promise<void> {
    if (this.#options.logNow() - purchase.writtenAt < keepMs / 3) return
    purchase.writtenAt = this.#options.logNow()
    const { answer } = purchase.intent
    // The record of the payment is carried even if its answer cannot be.
    const renewed = await this.answers.renew(answer).catch(error => {
      this.#options.onError(error)
      return answer
    })
    this.purchases.keepAnswer(purchase, renewed)
    await this.#write(purchase, 'intended', { intent: purchase.intent })
  }

  async close(): Promise<void> {
    await this.#mark()
    await this.#watching.close()
  }

  #at(): string {
    return instant(this.#options.logNow())
  }

  async #mark(): Promise<void> {
    clearTimeout(this.#marking)
    this.#marking = undefined
    const marks = this.#marks.splice(0)
    if (marks.length === 0) return
    const { log, onError } = this.#options
    // Marks that cannot be written now are tried again with the other records.
    await this.#insist(() => log.append(tillIntents.topic, marks)).catch(onError)
  }

  async #insist(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      // A rail broke after the fact. The fact stays, so its record is still to be written.
      this.#unwritten.push(write)
      throw error
    }
  }

  async #write(
    purchase: Purchase,
    step: TillStep['step'],
    more: More,
    settlement?: SettlementEvent,
  ): Promise<void> {
    await Promise.all([
      this.#options.log.append(tillIntents.topic, [this.#record(purchase, step, more)]),
      settlement && this.#appendSettlement(settlement),
    ])
  }

  #record({ spendId, requestId }: Purchase, step: TillStep['step'], more: More = {}): Entry {
    const event: TillStep = {
      by: this.#options.process,
      spend_id: spendId,
      request_id: requestId,
      step,
      at: this.#at(),
      payment_tx: null,
      intent: null,
      ...more,
    }
    return { key: spendId, value: JSON.stringify(tillIntents.event.parse(event)) }
  }

  #appendSettlement(event: SettlementEvent): Promise<void> {
    const value = JSON.stringify(settlements.event.parse(event))
    return this.#options.log.append(settlements.topic, [{ key: settlements.keyOf(event), value }])
  }

  #read(batch: readonly Received[]): void {
    for (const { at, value } of batch) {
      if (value === null || value.startsWith(this.#own)) continue
      const { data: step } = tillIntents.event.safeParse(JSON.parse(value))
      if (step) this.#apply(step, at)
    }
  }

  /** Takes over what another process wrote, or an earlier run of this one. */
  #apply({ spend_id: spendId, request_id: requestId, step, intent, payment_tx }: TillStep, at: number): void {
    const known = this.purchases.of(spendId)
    if (step === 'intended') {
      if (known?.requestId === requestId) {
        known.writtenAt = at
        if (intent && known.state === 'open') this.purchases.keepAnswer(known, intent.answer)
      }
      // Its writer may be dead. Until an end is read, nobody knows how it ended.
      else if (intent && (!known || known.state === 'failed'))
        this.purchases.put({ ...openPurchase(spendId, requestId, intent), doubted: true, writtenAt: at })
      return
    }
    if (known?.requestId !== requestId) return
    if (step === 'settled') this.purchases.settled(known, payment_tx ?? '', at)
    if (step === 'failed' && known.state === 'open') this.purchases.failed(known)
    if (step === 'delivered') this.purchases.delivered(known)
  }
}

const settlementOf = (
  { spendId, requestId, intent }: Purchase,
  state: SettlementEvent['state'],
  at: string,
  more: Partial<Pick<SettlementEvent, 'resolved' | 'reason' | 'payment_tx'>> = {},
): SettlementEvent => ({
  spend_id: spendId,
  state,
  at,
  request_id: requestId,
  origin: intent.origin,
  operation: intent.operation,
  network: intent.network,
  amount_usdc: intent.price_usdc,
  payer: intent.payer,
  pay_to: intent.pay_to,
  payment_tx: null,
  question_sha256: intent.question_sha256,
  answer_sha256: intent.answer_sha256,
  resolved: false,
  reason: null,
  ...more,
})
