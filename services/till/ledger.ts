/** What this till promised and what became of it: read from the log at start, and written there before it counts. */
import type { Log, Entry as LogEntry, Received, Watching } from '../../pipelines/log/log.ts'
import { metrics } from '../../pipelines/metrics.ts'
import { type SettlementEvent, settlements } from '../../schemas/settlements.ts'
import { type Intent, type TillStep, tillIntents } from '../../schemas/till-intents.ts'
import { instant } from '../../schemas/values.ts'

export interface Entry {
  spendId: string
  requestId: string
  intent: Intent
  state: 'open' | 'settled' | 'failed'
  tx: string | undefined
  /** By the log's clock. */
  settledAt: number
  delivered: boolean
  /** A settlement was tried, and nobody could say how it ended. */
  doubted: boolean
  /** When the log last took the intent, by its clock; 0 where it could not say that it did. */
  writtenAt: number
}

export const replayMs = 10 * 60_000
const markEveryMs = 25
/** Of packed answers in memory, in characters. */
const keptLimit = 256 << 20
const creditedLimit = 100_000
const marginMs = 60_000
const keepMs = (tillIntents.topic.keep as { ms: number }).ms

export interface LedgerOptions {
  log: Log
  /** This run of this process: what it wrote itself it knows already. */
  process: string
  logNow: () => number
  onError: (error: unknown) => void
}

export class Ledger {
  readonly #log: Log
  readonly #process: string
  readonly #own: string
  readonly #logNow: () => number
  readonly #onError: (error: unknown) => void
  readonly #entries = new Map<string, Entry>()
  readonly #byKey = new Map<string, Entry>()
  readonly #credited = new Map<string, string>()
  readonly #open = new Set<Entry>()
  /** Outcomes that the log could not take yet. */
  #unwritten: (() => Promise<void>)[] = []
  #marks: LogEntry[] = []
  #keptLength = 0
  #marking: NodeJS.Timeout | undefined
  #watching!: Watching

  private constructor({ log, process, logNow, onError }: LedgerOptions) {
    this.#log = log
    this.#process = process
    this.#own = `{"by":${JSON.stringify(process)},`
    this.#logNow = logNow
    this.#onError = onError
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
    await this.#watching.reached(await this.#log.end(tillIntents.topic))
  }

  of(spendId: string): Entry | undefined {
    return this.#entries.get(spendId)
  }

  ofKey(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  /** Intents without an end, the oldest first. */
  get unresolved(): readonly Entry[] {
    return [...this.#open]
  }

  replayable(entry: Entry): boolean {
    return entry.state === 'settled' && this.#logNow() - entry.settledAt < replayMs
  }

  creditedElsewhere(tx: string, spendId: string): boolean {
    return (this.#credited.get(tx.toLowerCase()) ?? spendId) !== spendId
  }

  /** Rejects when the log cannot take it: then nothing may be settled. */
  async intend(spendId: string, requestId: string, intent: Intent): Promise<Entry> {
    const entry: Entry = {
      spendId,
      requestId,
      intent,
      state: 'open',
      tx: undefined,
      settledAt: 0,
      delivered: false,
      doubted: false,
      writtenAt: 0,
    }
    // Known before it is written: an append that fails may have been taken all the same.
    this.#put(entry)
    await this.secure(entry)
    return entry
  }

  /** Makes sure that the intent stands in the log. */
  async secure(entry: Entry): Promise<void> {
    if (entry.writtenAt > 0) return
    const { intent } = entry
    await this.#write(entry, 'intended', { intent }, settlementOf(entry, 'intended', this.#at()))
    entry.writtenAt = this.#logNow()
  }

  /** Known here at once, whether or not the log can take it: the durable intent is enough to find it again. */
  async settle(entry: Entry, tx: string, resolved: boolean): Promise<void> {
    this.#settled(entry, tx, this.#logNow())
    const settlement = settlementOf(entry, 'settled', this.#at(), { resolved, payment_tx: tx })
    await this.#insist(() => this.#write(entry, 'settled', { payment_tx: tx }, settlement))
  }

  async fail(entry: Entry, reason: string, resolved: boolean): Promise<void> {
    this.#failed(entry)
    const settlement = settlementOf(entry, 'failed', this.#at(), { resolved, reason })
    await this.#insist(() => this.#write(entry, 'failed', {}, settlement))
  }

  /** Says so to analysts; nothing here changes. */
  async doubt(entry: Entry, reason: string): Promise<void> {
    entry.doubted = true
    this.#count()
    await this.#appendSettlement(settlementOf(entry, 'unknown', this.#at(), { reason }))
  }

  /** No call waits for this mark, so marks gather for one append. Lost in a crash, the answer is given once more. */
  deliver(entry: Entry): void {
    this.#delivered(entry)
    this.#marks.push(this.#entryOf(entry, 'delivered', {}))
    this.#marking ??= setTimeout(() => void this.#mark(), markEveryMs)
  }

  /** Writes what the log could not take when it happened. */
  async catchUpWriting(): Promise<void> {
    for (const write of this.#unwritten.splice(0)) await this.#insist(write)
  }

  /** Writes an open intent again before it is old enough for the log to forget it. */
  async carry(entry: Entry): Promise<void> {
    if (this.#logNow() - entry.writtenAt < keepMs / 3) return
    entry.writtenAt = this.#logNow()
    await this.#write(entry, 'intended', { intent: entry.intent })
  }

  /** Lets go of what nobody can ask for any more. */
  forget(): void {
    const now = this.#logNow()
    for (const entry of this.#entries.values()) {
      const { intent, state, delivered, settledAt } = entry
      const needed =
        state === 'open' ||
        now < Date.parse(intent.dead_at) + marginMs ||
        (intent.keys.length > 0 && now < settledAt + replayMs) ||
        (!delivered && now < settledAt + keepMs)
      if (!needed) this.#drop(entry)
    }
    this.#count()
  }

  async close(): Promise<void> {
    await this.#mark()
    await this.#watching.close()
  }

  async #mark(): Promise<void> {
    clearTimeout(this.#marking)
    this.#marking = undefined
    const marks = this.#marks.splice(0)
    if (marks.length === 0) return
    // What cannot be written now is tried again with the other outcomes.
    await this.#insist(() => this.#log.append(tillIntents.topic, marks)).catch(this.#onError)
  }

  #at(): string {
    return instant(this.#logNow())
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
    more: Partial<Pick<TillStep, 'intent' | 'payment_tx'>>,
    settlement?: SettlementEvent,
  ): Promise<void> {
    await Promise.all([
      this.#log.append(tillIntents.topic, [this.#entryOf(entry, step, more)]),
      settlement && this.#appendSettlement(settlement),
    ])
  }

  #entryOf(
    { spendId, requestId }: Entry,
    step: TillStep['step'],
    more: Partial<Pick<TillStep, 'intent' | 'payment_tx'>>,
  ): LogEntry {
    const event: TillStep = {
      by: this.#process,
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
    return this.#log.append(settlements.topic, [{ key: settlements.keyOf(event), value }])
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
    const known = this.#entries.get(spendId)
    if (step === 'intended') {
      // Its writer may be gone: until an end is read, nobody can say how it ended.
      const fresh = { state: 'open', tx: undefined, settledAt: 0, delivered: false, doubted: true } as const
      if (known?.requestId === requestId) known.writtenAt = at
      else if (intent && (!known || known.state === 'failed'))
        this.#put({ spendId, requestId, intent, ...fresh, writtenAt: at })
      return
    }
    if (known?.requestId !== requestId) return
    if (step === 'settled') this.#settled(known, payment_tx ?? '', at)
    if (step === 'failed' && known.state === 'open') this.#failed(known)
    if (step === 'delivered') this.#delivered(known)
  }

  #count(): void {
    metrics.unresolved.set([...this.#open].filter(entry => entry.doubted).length)
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.spendId, entry)
    this.#open.add(entry)
    for (const key of entry.intent.keys) this.#byKey.set(key, entry)
    this.#keptLength += entry.intent.answer.length
    if (this.#keptLength > keptLimit) this.#makeRoom()
  }

  /** An answer is kept for its keys alone once its payer has it. */
  #delivered(entry: Entry): void {
    entry.delivered = true
    if (entry.intent.keys.length === 0) this.#dropAnswer(entry)
  }

  /** Better an early end of the ten minutes for the oldest keys than no memory for anybody. */
  #makeRoom(): void {
    for (const entry of this.#entries.values()) {
      if (this.#keptLength <= keptLimit) return
      if (!entry.delivered) continue
      this.#dropKeys(entry)
      this.#dropAnswer(entry)
    }
  }

  #settled(entry: Entry, tx: string, at: number): void {
    entry.state = 'settled'
    entry.tx = tx
    entry.settledAt = at
    this.#open.delete(entry)
    if (entry.doubted) this.#count()
    this.#credited.set(tx.toLowerCase(), entry.spendId)
    for (const oldest of this.#credited.keys()) {
      if (this.#credited.size <= creditedLimit) break
      this.#credited.delete(oldest)
    }
  }

  #failed(entry: Entry): void {
    entry.state = 'failed'
    this.#drop(entry)
  }

  #drop(entry: Entry): void {
    this.#open.delete(entry)
    if (this.#entries.get(entry.spendId) === entry) this.#entries.delete(entry.spendId)
    this.#dropKeys(entry)
    this.#dropAnswer(entry)
  }

  #dropKeys(entry: Entry): void {
    for (const key of entry.intent.keys) if (this.#byKey.get(key) === entry) this.#byKey.delete(key)
    entry.intent = { ...entry.intent, keys: [] }
  }

  #dropAnswer(entry: Entry): void {
    this.#keptLength -= entry.intent.answer.length
    entry.intent = { ...entry.intent, answer: '' }
  }
}

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
