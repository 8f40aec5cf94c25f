/** Writes `till.open`: the purchases that outlast their promises in the log, and the place where a start begins to read. */
import type { Entry, Log, LogPosition, Watching } from '../../../pipelines/rails/log/log.ts'
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { type CarriedPurchase, type TillOpen, tillOpen } from '../../../schemas/till-open.ts'
import { instant } from '../../../schemas/values/values.ts'
import { keptMs, type Purchase } from './purchase.ts'
import type { Purchases } from './purchases.ts'
import type { Unread } from './unread.ts'

/** By then nearly every promise has its outcome. */
const afterMs = 60_000
/** A start reads at most this much of the log, and one mark more, because answers and keys live for ten minutes. */
const checkpointMs = keptMs + afterMs
const markEveryMs = 30_000
const checkpoint = 'checkpoint'

interface Mark {
  at: number
  /** The offset after all earlier records. */
  next: bigint
  /** By the clock that nobody can set. */
  markedAt: number
  /** By then, all payments of earlier promises were dead. */
  deadAt: number
}

interface CarriedParts {
  log: Log
  logNow: () => number
  /** A clock that nobody can set. */
  uptime: () => number
  purchases: Purchases
  unread: Unread
}

export class Carried {
  readonly #log: Log
  readonly #logNow: () => number
  readonly #uptime: () => number
  readonly #purchases: Purchases
  readonly #unread: Unread
  /** The state in `till.open`, by request. */
  readonly #known = new Map<string, { spendId: string; state: string }>()
  #marks: Mark[] = []
  #from: bigint | undefined
  /** What a start must call forgotten, by the last word of any instance. */
  #forgotten = 0
  #watching: Watching | undefined

  constructor({ log, logNow, uptime, purchases, unread }: CarriedParts) {
    this.#log = log
    this.#logNow = logNow
    this.#uptime = uptime
    this.#purchases = purchases
    this.#unread = unread
  }

  /** Reads the whole topic. Resolves with the position where the reading of promises begins. */
  async read(restore: (purchase: CarriedPurchase) => void): Promise<LogPosition | undefined> {
    const found = new Map<string, CarriedPurchase>()
    this.#watching = await this.#log.watch(tillOpen.topic, batch => {
      for (const { value, ...record } of batch) {
        const { event, reason } = value === null ? {} : readEvent(tillOpen, value)
        if (event?.position) this.#from = BigInt(event.position)
        this.#forgotten = Math.max(this.#forgotten, Date.parse(event?.forgotten ?? '') || 0)
        if (event?.purchase) found.set(record.key, event.purchase)
        // The earlier record of this key still holds. The holder of the purchase writes it again.
        if (value !== null && reason !== undefined) this.#unread.hear({ ...record, value }, reason)
        else if (!event) found.delete(record.key)
        this.#note(record.key, event?.purchase ?? undefined)
      }
    })
    await this.#watching.caughtUp
    // Of what is forgotten from here on this process has read the promises itself.
    this.#purchases.forgotten(this.#forgotten)
    if (this.#log.isOwned) await this.#watching.close()
    for (const purchase of found.values()) restore(purchase)
    return this.#from === undefined ? undefined : new Map([[0, this.#from]])
  }

  get ended(): Promise<void> {
    return this.#watching?.ended ?? Promise.resolve()
  }

  /** Notes that the log's end was at `next` at this time. */
  mark(at: number, next: bigint): void {
    const last = this.#marks.at(-1)
    if (last && at - last.at < markEveryMs) return
    this.#marks.push({ at, next, markedAt: this.#uptime(), deadAt: this.#purchases.latestDeadAt })
  }

  /** Writes the purchases to carry, removes those that are over, and then moves the checkpoint. */
  async keep(): Promise<void> {
    const purchases = this.#purchases
    const now = this.#logNow()
    const isNew = ({ requestId, writtenAt }: Purchase, ageMs: number) =>
      now - writtenAt >= ageMs && !this.#known.has(requestId)
    const changed = purchases.lasting.filter(purchase => isNew(purchase, afterMs))
    for (const purchase of purchases.long)
      if (!purchases.isLasting(purchase) && isNew(purchase, keptMs)) changed.push(purchase)
    const gone: string[] = []
    for (const [requestId, { spendId, state }] of this.#known) {
      const purchase = purchases.of(spendId)
      if (purchase?.requestId !== requestId) gone.push(requestId)
      else if (stateOf(purchase) !== state) changed.push(purchase)
    }
    const fresh = changed.map(carriedOf)
    const entries = [
      ...fresh.map(purchase =>
        entryOf({ place: purchase.request_id, position: null, forgotten: null, purchase }),
      ),
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
    if (!purchase) return void this.#known.delete(requestId)
    const { spend_id: spendId, payment_tx: tx, refused, ...rest } = purchase
    const state = stateOf({ ...rest, tx: tx ?? undefined, state: refused ? 'refused' : 'open' })
    this.#known.set(requestId, { spendId, state })
  }

  async #moveCheckpoint(now: number): Promise<void> {
    const [before, upBefore] = [now - checkpointMs, this.#uptime() - checkpointMs]
    // A clock that jumps ahead must not make a minute look like an hour.
    const old = this.#marks.filter(({ at, markedAt }) => at < before && markedAt < upBefore)
    const newest = old.at(-1)
    if (!newest) return
    this.#marks = this.#marks.slice(old.length)
    if (newest.next <= (this.#from ?? 1n)) return
    const deadAt = Math.max(newest.deadAt, this.#purchases.leftTo, this.#forgotten)
    await this.#log.append(tillOpen.topic, [
      entryOf({
        place: checkpoint,
        position: String(newest.next),
        forgotten: deadAt > 0 ? instant(deadAt) : null,
        purchase: null,
      }),
    ])
    this.#from = newest.next
  }
}

const entryOf = (event: TillOpen): Entry => ({ key: event.place, value: JSON.stringify(event) })

/** The parts of a carried purchase that may change: its answer may be made anew at another time, or move to another place. */
const stateOf = ({
  tx,
  delivered,
  state,
  promised: { answer, promised_at },
}: Pick<Purchase, 'tx' | 'delivered' | 'promised'> & { state: string }): string =>
  `${tx} ${delivered} ${state === 'refused'} ${promised_at} ${answer.length} ${answer.slice(0, 100)}`

const carriedOf = (purchase: Purchase): CarriedPurchase => ({
  spend_id: purchase.spendId,
  request_id: purchase.requestId,
  keys: [...purchase.keys],
  holder: purchase.holder ?? null,
  written_at: instant(purchase.writtenAt),
  payment_tx: purchase.tx ?? null,
  payment_position: purchase.position ?? null,
  settled_at: purchase.tx === undefined ? null : instant(purchase.settledAt),
  delivered: purchase.delivered,
  delivered_at: purchase.delivered ? instant(purchase.deliveredAt) : null,
  refused: purchase.state === 'refused',
  promised: purchase.promised,
})
