/** Keeps what lasts longer than the log keeps promises, and tells a start where to begin: `till.open`. */
import type { Entry, Log, Position, Watching } from '../../../pipelines/log/log.ts'
import { type CarriedPurchase, type TillOpen, tillOpen } from '../../../schemas/till-open.ts'
import { instant } from '../../../schemas/values.ts'
import { sha256 } from '../sha256.ts'
import { type Purchase, type Purchases, replayMs } from './purchases.ts'

/** Nearly every promise has its end by then. */
const afterMs = 60_000
/** A start reads so much of the log at most, and a mark more: keys live for ten minutes. */
const checkpointMs = replayMs + afterMs
const markEveryMs = 30_000
const checkpoint = 'checkpoint'

interface Mark {
  at: number
  /** The offset after the records that came before. */
  next: bigint
}

export class Carried {
  readonly #log: Log
  readonly #logNow: () => number
  /** By request, the state that stands in `till.open`. */
  readonly #known = new Map<string, { spendId: string; state: string }>()
  #marks: Mark[] = []
  #from: bigint | undefined
  #watching: Watching | undefined

  constructor(log: Log, logNow: () => number) {
    this.#log = log
    this.#logNow = logNow
  }

  /** Reads all of it. Resolves with the position from which promises are to be read. */
  async read(restore: (purchase: CarriedPurchase) => void): Promise<Position | undefined> {
    const found = new Map<string, CarriedPurchase>()
    this.#watching = await this.#log.watch(tillOpen.topic, batch => {
      for (const { key, value } of batch) {
        const { data: event } = tillOpen.event.safeParse(value === null ? null : JSON.parse(value))
        if (event?.position) this.#from = BigInt(event.position)
        if (event?.purchase) found.set(key, event.purchase)
        if (!event) found.delete(key)
        this.#note(key, event?.purchase ?? undefined)
      }
    })
    await this.#watching.caughtUp
    if (this.#log.isOwned) await this.#watching.close()
    for (const purchase of found.values()) restore(purchase)
    return this.#from === undefined ? undefined : new Map([[0, this.#from]])
  }

  get ended(): Promise<void> {
    return this.#watching?.ended ?? Promise.resolve()
  }

  /** The log had come to `next` at this time. */
  mark(at: number, next: bigint): void {
    const last = this.#marks.at(-1)
    if (!last || at - last.at >= markEveryMs) this.#marks.push({ at, next })
  }

  /** Writes what is to be carried from now on, takes back what need not be, and then moves the checkpoint. */
  async keep(purchases: Purchases): Promise<void> {
    const now = this.#logNow()
    const old = purchases.lasting.filter(purchase => now - purchase.writtenAt >= afterMs)
    const wanted = new Map(old.map(purchase => [purchase.requestId, purchase]))
    for (const [requestId, { spendId }] of this.#known) {
      const purchase = purchases.of(spendId)
      if (purchase?.requestId === requestId) wanted.set(requestId, purchase)
    }
    const gone = [...this.#known.keys()].filter(requestId => !wanted.has(requestId))
    const fresh = [...wanted.values()].map(carriedOf).filter(each => !this.#stands(each))
    const entries = [
      ...fresh.map(purchase => entryOf({ place: purchase.request_id, position: null, purchase })),
      ...gone.map(key => ({ key, value: null })),
    ]
    if (entries.length > 0) await this.#log.append(tillOpen.topic, entries)
    for (const purchase of fresh) this.#note(purchase.request_id, purchase)
    for (const requestId of gone) this.#note(requestId, undefined)
    await this.#moveCheckpoint(now)
  }

  async close(): Promise<void> {
    await this.#watching?.close()
  }

  #note(requestId: string, purchase: CarriedPurchase | undefined): void {
    if (purchase) this.#known.set(requestId, { spendId: purchase.spend_id, state: stateOf(purchase) })
    else this.#known.delete(requestId)
  }

  #stands(purchase: CarriedPurchase): boolean {
    return this.#known.get(purchase.request_id)?.state === stateOf(purchase)
  }

  async #moveCheckpoint(now: number): Promise<void> {
    const old = this.#marks.filter(({ at }) => now - at > checkpointMs)
    const newest = old.at(-1)
    if (!newest) return
    this.#marks = this.#marks.slice(old.length)
    if (newest.next <= (this.#from ?? 1n)) return
    await this.#log.append(tillOpen.topic, [
      entryOf({ place: checkpoint, position: String(newest.next), purchase: null }),
    ])
    this.#from = newest.next
  }
}

const entryOf = (event: TillOpen): Entry => ({ key: event.place, value: JSON.stringify(event) })

/** What may change about it. */
const stateOf = ({ payment_tx, delivered, promised }: CarriedPurchase): string =>
  `${payment_tx} ${delivered} ${sha256(promised.answer)}`

const carriedOf = (purchase: Purchase): CarriedPurchase => ({
  spend_id: purchase.spendId,
  request_id: purchase.requestId,
  keys: [...purchase.keys],
  holder: purchase.holder ?? null,
  written_at: instant(purchase.writtenAt),
  payment_tx: purchase.tx ?? null,
  settled_at: purchase.tx === undefined ? null : instant(purchase.settledAt),
  delivered: purchase.delivered,
  promised: purchase.promised,
})
