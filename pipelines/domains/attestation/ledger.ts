/** The log of attestations, as each selling instance reads it: from its topics, from the beginning. */
import { type AttestEntry, attestEntries } from '../../../schemas/attest-entries.ts'
import { attestHeads } from '../../../schemas/attest-heads.ts'
import { instant } from '../../../schemas/values/values.ts'
import { entryOf, type Log, type Watching } from '../../rails/log/log.ts'
import type { Running } from '../../rails/running.ts'
import { LogBook, type LogEntry } from './tlog/book.ts'
import { entriesIn, headsIn } from './tlog/entries.ts'
import type { Hash } from './tlog/merkle.ts'
import { type Checkpoint, type NoteVerifier, openCheckpoint, openedBy } from './tlog/note.ts'

export interface AttestationLedgerOptions {
  log: Pick<Log, 'append' | 'watch'>
  /** The keys of this log: the current one, and those before it. */
  verifiers: readonly [NoteVerifier, ...NoteVerifier[]]
  now: () => number
  onFailed(name: string, error: unknown): void
  /** The time that an entry waits for a head. */
  patienceMs?: number
}

/** A signed head with all of its entries. */
interface Head extends Checkpoint {
  checkpoint: string
}

/** The log does not accept the entry now, or nobody signs the log. */
export class LedgerAway extends Error {
  override name = 'LedgerAway'
}

export class AttestationLedger implements Running {
  readonly book = new LogBook()
  readonly #options: AttestationLedgerOptions
  readonly #waiting = new Set<() => void>()
  #watching: Watching[] = []
  /** The newest head in the topic. */
  #signed: Head | undefined
  #head: Head | undefined

  private constructor(options: AttestationLedgerOptions) {
    this.#options = options
  }

  static async open(options: AttestationLedgerOptions): Promise<AttestationLedger> {
    const { log } = options
    const ledger = new AttestationLedger(options)
    const { name } = ledger
    const heads = log.watch(attestHeads.topic, batch => {
      for (const { checkpoint } of headsIn(batch, name)) ledger.#hear(checkpoint)
    })
    const entries = log.watch(attestEntries.topic, batch => {
      for (const entry of entriesIn(batch, name)) ledger.book.add(entry)
      ledger.#publish()
    })
    ledger.#watching = await Promise.all([heads, entries])
    await Promise.all(ledger.#watching.map(({ caughtUp }) => caughtUp))
    return ledger
  }

  get name(): string {
    return this.#options.verifiers[0].name
  }

  /** The newest head that this instance can prove. Undefined while the log is empty. */
  get head(): Head | undefined {
    return this.#head
  }

  get ended(): Promise<unknown> {
    return Promise.all(this.#watching.map(({ ended }) => ended))
  }

  async close(): Promise<void> {
    await Promise.all(this.#watching.map(each => each.close()))
  }

  /** Resolves with the place of the entry once a head covers it. Rejects with LedgerAway. */
  async append(entry: LogEntry): Promise<{ index: number; head: Head; inclusion: Hash[] }> {
    const { log, now, patienceMs = 5_000 } = this.#options
    const event: AttestEntry = { log: this.name, ...entry, at: instant(now()) }
    const late = AbortSignal.timeout(patienceMs)
    try {
      await log.append(attestEntries.topic, [entryOf(attestEntries, event)])
    } catch (error) {
      throw new LedgerAway('the log takes no entry', { cause: error })
    }
    for (;;) {
      const found = this.find(entry.statement_sha256)
      if (found) return found
      if (!(await this.#change(late))) throw new LedgerAway('nobody signs the log')
    }
  }

  /** Undefined if no head covers it. */
  find(statementSha256: string): { index: number; head: Head; inclusion: Hash[] } | undefined {
    const index = this.book.indexOf(statementSha256)
    const head = this.#head
    if (index === undefined || !head || index >= head.size) return undefined
    return { index, head, inclusion: this.book.tree.inclusion(index, head.size) }
  }

  #hear(checkpoint: string): void {
    const opened = openedBy(this.#options.verifiers, checkpoint)
    const known = this.#signed?.size ?? 0
    // After a change of key, the same size is signed again.
    const isCurrent = openCheckpoint(checkpoint, this.#options.verifiers[0]) !== undefined
    if (!opened || opened.size < known || (opened.size === known && !isCurrent)) return
    this.#signed = { ...opened, checkpoint }
    this.#publish()
  }

  #publish(): void {
    const { book } = this
    const signed = this.#signed
    if (!signed || signed === this.#head || book.size < signed.size) return
    if (!book.tree.root(signed.size).equals(signed.root)) {
      this.#options.onFailed(
        this.name,
        new Error(`the head of size ${signed.size} is not that of the entries`),
      )
      this.#signed = this.#head
      return
    }
    this.#head = signed
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  /** Resolves with true if a newer head arrives before `late`. */
  #change(late: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const wake = () => resolve(true)
    const giveUp = () => {
      this.#waiting.delete(wake)
      resolve(false)
    }
    this.#waiting.add(wake)
    if (late.aborted) giveUp()
    else late.addEventListener('abort', giveUp, { once: true })
    return promise
  }
}
