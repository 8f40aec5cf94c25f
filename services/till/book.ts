/** The till's memory: what was promised, what became of it, and which answers are still to be asked for. */
import { metrics } from '../../pipelines/metrics.ts'
import { type Intent, tillIntents } from '../../schemas/till-intents.ts'

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

/** How long the log keeps what stands there, and the book an answer that nobody was given. */
export const keepMs = (tillIntents.topic.keep as { ms: number }).ms
const replayMs = 10 * 60_000
const marginMs = 60_000
/** Of packed answers in memory, in characters. */
const keptLimit = 256 << 20
const creditedLimit = 100_000

export class Book {
  readonly #logNow: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #byKey = new Map<string, Entry>()
  readonly #credited = new Map<string, string>()
  readonly #open = new Set<Entry>()
  #keptLength = 0

  constructor(logNow: () => number) {
    this.#logNow = logNow
  }

  of(spendId: string): Entry | undefined {
    return this.#entries.get(spendId)
  }

  ofKey(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  /** Money may have moved for it, and its payer does not have the answer. */
  owed(spendId: string): boolean {
    const entry = this.#entries.get(spendId)
    return entry !== undefined && !entry.delivered && (entry.state === 'settled' || entry.doubted)
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

  put(entry: Entry): void {
    this.#entries.set(entry.spendId, entry)
    this.#open.add(entry)
    for (const key of entry.intent.keys) this.#byKey.set(key, entry)
    this.#keptLength += entry.intent.answer.length
    if (this.#keptLength > keptLimit) this.#makeRoom()
  }

  settled(entry: Entry, tx: string, at: number): void {
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

  failed(entry: Entry): void {
    entry.state = 'failed'
    this.#drop(entry)
    if (entry.doubted) this.#count()
  }

  doubt(entry: Entry): void {
    entry.doubted = true
    this.#count()
  }

  /** An answer is kept for its keys alone once its payer has it. */
  delivered(entry: Entry): void {
    entry.delivered = true
    if (entry.intent.keys.length === 0) this.#dropAnswer(entry)
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

  /** Better an early end of the ten minutes for the oldest keys than no memory for anybody. */
  #makeRoom(): void {
    for (const entry of this.#entries.values()) {
      if (this.#keptLength <= keptLimit) return
      if (!entry.delivered) continue
      this.#dropKeys(entry)
      this.#dropAnswer(entry)
    }
  }

  #count(): void {
    metrics.unresolved.set([...this.#open].filter(entry => entry.doubted).length)
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
