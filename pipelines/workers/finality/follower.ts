/** Follows the sales of one network until its chain calls them final, and tells what it takes back. */
import type { TakenBack } from '../../../schemas/finality.ts'
import type { Depth, Paid, Standing, StandsAt } from '../../domains/payments/standing.ts'

export interface Followed extends Paid {
  requestId: string
  /** The transaction of the receipt. */
  receiptTx: string
  amountUsdc: string
  /** Its place in the topic. */
  partition: number
  offset: bigint
}

interface Waiting extends Followed {
  /** A head must have reached this time before the sale is asked about. */
  dueMs: number
  /** A safe block has it. */
  isSafe: boolean
  /** Looks in a row that have not found it. */
  missed: number
  /** Analysts were told that it was taken back. */
  isTold: boolean
  /** Until it is final, or safe, the line of that stays before this time: that of its sale, or that of the word that it was settled again. */
  lineMs: number
}

type State = TakenBack['state']

/** What an earlier run has told of a sale. */
export interface ToldBefore {
  state: State
  atMs: number
  standingTx: string | null
}

interface FollowerOptions {
  standing: Standing
  /** Resolves once the log has it, with the time of the word. */
  tell(sale: Followed, state: State, standingTx: string | null): Promise<number>
  onFailed(error: unknown): void
}

/** A reorganisation may reach back to sales that were settled a little before its first block, by our clock. */
const clocksMs = 60_000
/** A node may be a block behind another, so one look alone takes nothing back. */
const looksToMiss = 2
/** A receipt is signed soon after its sale. */
const receiptMs = 2000
/** The sales that are asked about one by one in one round. */
const mostAlone = 20
/** The same for those that stand nowhere: a question each, so that a round takes a second with a local node, and two minutes with another one. */
const mostGone = 500

export class Follower {
  readonly #options: FollowerOptions
  /** Those that stand, as far as anybody knows, the oldest first. */
  readonly #standing = new Map<string, Waiting>()
  /** Those that may not stand. Each round asks some of them, in turn. */
  readonly #doubted = new Map<string, Waiting>()
  /** Sales up to these times that do not wait are final, or safe. */
  #clearMs: Record<Depth, number> = { safe: 0, final: 0 }
  #newestMs = 0

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#standing.size + this.#doubted.size
  }

  get unsafe(): number {
    let unsafe = this.#doubted.size
    for (const { isSafe } of this.#standing.values()) if (!isSafe) unsafe++
    return unsafe
  }

  *sales(): Generator<Followed> {
    yield* this.#standing.values()
    yield* this.#doubted.values()
  }

  /** Every sale up to this time is final, or safe, unless it was told to be taken back. Analysts know those by name. */
  line(depth: Depth): number {
    let line = this.#clearMs[depth]
    for (const sales of [this.#standing, this.#doubted])
      for (const { lineMs, isTold, isSafe } of sales.values())
        if (!isTold && !(depth === 'safe' && isSafe)) line = Math.min(line, lineMs - 1)
    return line
  }

  /** The time of the oldest sale that is not final. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined
    for (const { atMs } of this.sales()) oldest = Math.min(oldest ?? atMs, atMs)
    return oldest
  }

  add(sale: Followed, before?: ToldBefore): void {
    if (this.#standing.has(sale.spendId) || this.#doubted.has(sale.spendId)) return
    this.#newestMs = Math.max(this.#newestMs, sale.atMs)
    if (before?.state === 'lost') return
    const isTold = before?.state === 'taken_back'
    const waiting = {
      ...sale,
      tx: before?.standingTx ?? sale.tx,
      dueMs: sale.atMs,
      isSafe: false,
      missed: isTold ? looksToMiss : 0,
      isTold,
      lineMs: before ? before.atMs : sale.atMs,
    }
    ;(isTold ? this.#doubted : this.#standing).set(sale.spendId, waiting)
  }

  /** Nothing waits, and the line has passed the signature of the newest receipt. */
  get isIdle(): boolean {
    return this.size === 0 && this.line('final') >= this.#newestMs + receiptMs
  }

  /** Asks the chain once. Rejects if it does not respond. `readMs`: every sale that was settled up to this time was added. */
  async round(signal: AbortSignal, readMs: number): Promise<void> {
    if (this.isIdle) return
    const { standing } = this.#options
    const { finalMs, safeMs, undoneMs } = await standing.look(signal)
    if (undoneMs !== undefined)
      for (const sale of [...this.#standing.values()]) if (sale.atMs >= undoneMs - clocksMs) this.#doubt(sale)
    await this.#readDoubted(signal)
    await this.#readDue('final', finalMs, signal)
    await this.#readDue('safe', safeMs, signal)
    const gone = await this.#readGone(finalMs, signal)
    await this.#readAlone(finalMs, gone, signal)
    for (const [depth, headMs] of [['final', finalMs] as const, ['safe', safeMs] as const])
      this.#clearMs[depth] = Math.max(this.#clearMs[depth], Math.min(headMs, readMs))
  }

  /** Few questions may clear thousands of doubts: most sales stand in the new blocks, too, there or elsewhere. */
  async #readDoubted(signal: AbortSignal): Promise<void> {
    const { standing } = this.#options
    const fresh = [...this.#doubted.values()].filter(({ missed, isTold }) => missed === 0 && !isTold)
    if (fresh.length > mostAlone) {
      const asked = fresh.slice(0, standing.mostAtOnce)
      for (const sale of await standing.standing(asked, 'latest', signal)) this.#clear(sale as Waiting)
    }
    if (this.#doubted.size <= mostAlone) return
    const asked = [...this.#doubted.values()].slice(0, standing.mostAtOnce)
    for (const [sale, place] of await standing.placesOf(asked, signal))
      await this.#found(sale as Waiting, place)
  }

  /** Thousands that a deep reorganisation has taken back are told within minutes. */
  async #readGone(finalMs: number, signal: AbortSignal): Promise<ReadonlySet<Paid>> {
    const { standing } = this.#options
    if (this.#doubted.size <= mostAlone) return new Set()
    const asked = [...this.#doubted.values()].slice(0, Math.min(mostGone, standing.mostAtOnce))
    const gone = await standing.gone(asked, signal)
    for (const sale of gone) {
      this.#lastInLine(sale as Waiting)
      await this.#missed(sale as Waiting, finalMs)
    }
    return gone
  }

  async #readDue(depth: Depth, headMs: number, signal: AbortSignal): Promise<void> {
    const { standing } = this.#options
    const due: Waiting[] = []
    for (const sale of this.#standing.values()) {
      if (sale.dueMs <= headMs && !(depth === 'safe' && sale.isSafe)) due.push(sale)
      if (due.length >= standing.mostAtOnce) break
    }
    if (due.length === 0) return
    const stands = await standing.standing(due, depth, signal)
    for (const sale of due)
      if (!stands.has(sale)) this.#doubt(sale)
      else if (depth === 'final') this.#end(sale)
      else sale.isSafe = true
  }

  /** A look takes nothing back alone, so those of this round are not looked at twice. */
  async #readAlone(finalMs: number, looked: ReadonlySet<Paid>, signal: AbortSignal): Promise<void> {
    let failed = 0
    const due = [...this.#doubted.values()].filter(sale => !looked.has(sale))
    for (const sale of due.slice(0, mostAlone)) {
      // Whatever comes of it, the others have their turn first.
      this.#lastInLine(sale)
      try {
        const place = await this.#options.standing.placeOf(sale, signal)
        await (place ? this.#found(sale, place) : this.#missed(sale, finalMs))
      } catch (error) {
        if (signal.aborted || ++failed >= looksToMiss) throw error
        this.#options.onFailed(error)
      }
    }
  }

  async #found(sale: Waiting, { tx, atMs, isFinal }: StandsAt): Promise<void> {
    const isElsewhere = tx.toLowerCase() !== sale.tx.toLowerCase()
    const lineMs =
      sale.isTold || isElsewhere ? await this.#options.tell(sale, 'settled_again', tx) : sale.lineMs
    const found = {
      ...sale,
      tx,
      lineMs,
      dueMs: Math.max(atMs, sale.atMs),
      ...{ missed: 0, isTold: false, isSafe: false },
    }
    if (isFinal) this.#end(found)
    else this.#clear(found)
  }

  async #missed(sale: Waiting, finalMs: number): Promise<void> {
    const { standing, tell } = this.#options
    sale.missed++
    if (sale.missed < looksToMiss) return
    if (!sale.isTold) await tell(sale, 'taken_back', null)
    sale.isTold = true
    if (finalMs <= sale.atMs + standing.lifeMs) return
    await tell(sale, 'lost', null)
    this.#end(sale)
  }

  #lastInLine(sale: Waiting): void {
    this.#doubted.delete(sale.spendId)
    this.#doubted.set(sale.spendId, sale)
  }

  #doubt(sale: Waiting): void {
    sale.isSafe = false
    this.#standing.delete(sale.spendId)
    this.#doubted.set(sale.spendId, sale)
  }

  #clear(sale: Waiting): void {
    this.#doubted.delete(sale.spendId)
    this.#standing.set(sale.spendId, sale)
  }

  #end({ spendId }: Waiting): void {
    this.#standing.delete(spendId)
    this.#doubted.delete(spendId)
  }
}
