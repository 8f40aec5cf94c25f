/** What this till promised and what became of it: read from the log at start, and written there before it counts. */
import type { Log, Entry as LogEntry, Received, Watching } from '../../pipelines/log/log.ts'
import { type SettlementEvent, settlements } from '../../schemas/settlements.ts'
import { type Intent, type TillStep, tillIntents } from '../../schemas/till-intents.ts'
import { instant } from '../../schemas/values.ts'
import { Book, type Entry, keepMs } from './book.ts'

export interface LedgerOptions {
  log: Log
  /** This run of this process: what it wrote itself it knows already. */
  process: string
  logNow: () => number
  onError: (error: unknown) => void
}

type More = Partial<Pick<TillStep, 'intent' | 'payment_tx'>>

const markEveryMs = 25

export class Ledger {
  readonly book: Book
  readonly #options: LedgerOptions
  readonly #own: string
  /** Outcomes that the log could not take yet. */
  #unwritten: (() => Promise<void>)[] = []
  #marks: LogEntry[] = []
  #marking: NodeJS.Timeout | undefined
  #watching!: Watching

  private constructor(options: LedgerOptions) {
    this.#options = options
    this.#own = `{"by":${JSON.stringify(options.process)},`
    this.book = new Book(options.logNow)
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

  /** Resolves once everything that any instance wrote until now is known here. */
  async catchUp(): Promise<void> {
    await this.#watching.reached(await this.#options.log.end(tillIntents.topic))
  }

  /** Rejects when the log cannot take it: then nothing may be settled. */
  async intend(spendId: string, requestId: string, intent: Intent): Promise<Entry> {
    const entry = opened(spendId, requestId, intent)
    // Known before it is written: an append that fails may have been taken all the same.
    this.book.put(entry)
    await this.secure(entry)
    return entry
  }

  /** Makes sure that the intent stands in the log. */
  async secure(entry: Entry): Promise<void> {
    if (entry.writtenAt > 0) return
    const { intent } = entry
    await this.#write(entry, 'intended', { intent })
    entry.writtenAt = this.#options.logNow()
    // Told to analysts after it is true, so that there is an end to every intent they see; no call waits for it.
    const settlement = settlementOf(entry, 'intended', this.#at())
    void this.#insist(() => this.#appendSettlement(settlement)).catch(this.#options.onError)
  }

  /** Known here at once, whether or not the log can take it: the durable intent is enough to find it again. */
  async settle(entry: Entry, tx: string, resolved: boolean): Promise<void> {
    this.book.settled(entry, tx, this.#options.logNow())
    const settlement = settlementOf(entry, 'settled', this.#at(), { resolved, payment_tx: tx })
    await this.#insist(() => this.#write(entry, 'settled', { payment_tx: tx }, settlement))
  }

  async fail(entry: Entry, reason: string, resolved: boolean): Promise<void> {
    this.book.failed(entry)
    const settlement = settlementOf(entry, 'failed', this.#at(), { resolved, reason })
    await this.#insist(() => this.#write(entry, 'failed', {}, settlement))
  }

  /** Says so to analysts; what is promised stays as it is. */
  async doubt(entry: Entry, reason: string): Promise<void> {
    this.book.doubt(entry)
    await this.#appendSettlement(settlementOf(entry, 'unknown', this.#at(), { reason }))
  }

  /** No call waits for this mark, so marks gather for one append. Lost in a crash, the answer is given once more. */
  deliver(entry: Entry): void {
    this.book.delivered(entry)
    this.#marks.push(this.#record(entry, 'delivered'))
    this.#marking ??= setTimeout(() => void this.#mark(), markEveryMs)
  }

  /** Writes what the log could not take when it happened. */
  async catchUpWriting(): Promise<void> {
    for (const write of this.#unwritten.splice(0)) await this.#insist(write)
  }

  /** Writes an open intent again before it is old enough for the log to forget it. */
  async carry(entry: Entry): Promise<void> {
    if (this.#options.logNow() - entry.writtenAt < keepMs / 3) return
    entry.writtenAt = this.#options.logNow()
    await this.#write(entry, 'intended', { intent: entry.intent })
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
    // What cannot be written now is tried again with the other outcomes.
    await this.#insist(() => log.append(tillIntents.topic, marks)).catch(onError)
  }

  async #insist(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      // A rail broke after the fact. The fact stays, so its record is owed.
      this.#unwritten.push(write)
      throw error
    }
  }

  async #write(
    entry: Entry,
    step: TillStep['step'],
    more: More,
    settlement?: SettlementEvent,
  ): Promise<void> {
    await Promise.all([
      this.#options.log.append(tillIntents.topic, [this.#record(entry, step, more)]),
      settlement && this.#appendSettlement(settlement),
    ])
  }

  #record({ spendId, requestId }: Entry, step: TillStep['step'], more: More = {}): LogEntry {
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

  /** What another process wrote, or this one in an earlier life. */
  #apply({ spend_id: spendId, request_id: requestId, step, intent, payment_tx }: TillStep, at: number): void {
    const known = this.book.of(spendId)
    if (step === 'intended') {
      if (known?.requestId === requestId) known.writtenAt = at
      // Its writer may be gone: until an end is read, nobody can say how it ended.
      else if (intent && (!known || known.state === 'failed'))
        this.book.put({ ...opened(spendId, requestId, intent), doubted: true, writtenAt: at })
      return
    }
    if (known?.requestId !== requestId) return
    if (step === 'settled') this.book.settled(known, payment_tx ?? '', at)
    if (step === 'failed' && known.state === 'open') this.book.failed(known)
    if (step === 'delivered') this.book.delivered(known)
  }
}

const opened = (spendId: string, requestId: string, intent: Intent): Entry => ({
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

const settlementOf = (
  { spendId, requestId, intent }: Entry,
  state: SettlementEvent['state'],
  at: string,
  more: Partial<Pick<SettlementEvent, 'resolved' | 'reason' | 'payment_tx'>> = {},
): SettlementEvent => ({
  spend_id: spendId,
  state,
  at,
  request_id: requestId,
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
