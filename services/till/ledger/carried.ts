/** Writes `till.open`: the purchases that outlast their promises in the log, and the place where a start begins to read. */
import type { LogPosition, Watching } from '../../../pipelines/rails/log/log.ts'
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { type CarriedPurchase, tillOpen } from '../../../schemas/till-open.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Outcomes } from './outcomes.ts'
import { keptMs, type Purchase } from './purchase.ts'
import { afterMs, carriedEntry, StartingPlace, type StartingPlaceParts } from './starting-place.ts'
import type { Unread } from './unread.ts'

interface CarriedParts extends StartingPlaceParts {
  unread: Unread
  outcomes: Pick<Outcomes, 'unwritten'>
}

export class Carried {
  readonly checkpoint: StartingPlace
  readonly #parts: CarriedParts
  /** The state in `till.open`, by request. */
  readonly #known = new Map<string, { spendId: string; state: string }>()
  #watching: Watching | undefined

  constructor(parts: CarriedParts) {
    this.#parts = parts
    this.checkpoint = new StartingPlace(parts)
  }

  /** Reads the whole topic. Resolves with the position where the reading of promises begins. */
  async read(restore: (purchase: CarriedPurchase) => void): Promise<LogPosition | undefined> {
    const { log, purchases, unread } = this.#parts
    const found = new Map<string, CarriedPurchase>()
    this.#watching = await log.watch(tillOpen.topic, batch => {
      for (const { value, ...record } of batch) {
        const { event, reason } = value === null ? {} : readEvent(tillOpen, value)
        if (event) this.checkpoint.hear(record.key, event)
        if (event?.purchase) found.set(record.key, event.purchase)
        // The earlier record of this key still holds. The holder of the purchase writes it again.
        if (value !== null && reason !== undefined) unread.hear({ ...record, value }, reason)
        else if (!event) found.delete(record.key)
        this.#note(record.key, event?.purchase ?? undefined)
      }
    })
    await this.#watching.caughtUp
    const { forgotten, from } = this.checkpoint
    // Of what is forgotten from here on this process has read the promises itself.
    purchases.forgotten(forgotten)
    if (log.isOwned) await this.#watching.close()
    for (const purchase of found.values()) restore(purchase)
    return from === undefined ? undefined : new Map([[0, from]])
  }

  get ended(): Promise<void> {
    return this.#watching?.ended ?? Promise.resolve()
  }

  /** Writes the purchases to carry, removes those that are over, and then moves the checkpoint. */
  async keep(): Promise<void> {
    const { log, purchases, outcomes } = this.#parts
    const unwritten = new Map([...outcomes.unwritten()].map(purchase => [purchase.requestId, purchase]))
    const asWritten = (purchase: Purchase) =>
      unwritten.has(purchase.requestId) ? asOpen(purchase) : purchase
    const changed = this.#fresh(unwritten.values())
    const gone: string[] = []
    for (const [requestId, { spendId, state }] of this.#known) {
      const purchase = unwritten.get(requestId) ?? purchases.of(spendId)
      if (purchase?.requestId !== requestId) gone.push(requestId)
      else if (stateOf(asWritten(purchase)) !== state) changed.add(purchase)
    }
    await this.checkpoint.sayForgotten()
    const carried = [...changed].map(purchase => carriedOf(asWritten(purchase)))
    const entries = [
      ...carried.map(purchase =>
        carriedEntry({ place: purchase.request_id, position: null, forgotten: null, purchase }),
      ),
      ...gone.map(key => ({ key, value: null })),
    ]
    if (entries.length > 0) await log.append(tillOpen.topic, entries)
    for (const purchase of carried) this.#note(purchase.request_id, purchase)
    for (const requestId of gone) this.#note(requestId, undefined)
    await this.checkpoint.move()
  }

  async close(): Promise<void> {
    await this.#watching?.close()
  }

  /** Those that are old enough, and in no record yet. */
  #fresh(unwritten: Iterable<Purchase>): Set<Purchase> {
    const { logNow, purchases } = this.#parts
    const now = logNow()
    const isFresh = ({ requestId, writtenAt }: Purchase, ageMs: number) =>
      isOlder(now - writtenAt, ageMs) && !this.#known.has(requestId)
    const fresh = new Set<Purchase>()
    for (const purchase of [...purchases.lasting, ...unwritten])
      if (isFresh(purchase, afterMs)) fresh.add(purchase)
    for (const purchase of purchases.long)
      if (!purchases.isLasting(purchase) && isFresh(purchase, keptMs)) fresh.add(purchase)
    return fresh
  }

  #note(requestId: string, purchase: CarriedPurchase | undefined): void {
    if (!purchase) return void this.#known.delete(requestId)
    const { spend_id: spendId, payment_tx: tx, refused, ...rest } = purchase
    const state = stateOf({ ...rest, tx: tx ?? undefined, state: refused ? 'refused' : 'open' })
    this.#known.set(requestId, { spendId, state })
  }
}

/** A promise that seems to come from the future was made while the clock was ahead. */
const isOlder = (age: number, than: number): boolean => age >= than || age < -afterMs

/** The log was not told how it ended. So a start must find it open, ask the chain, and tell. */
const asOpen = (purchase: Purchase): Purchase => ({
  ...purchase,
  ...{ state: 'open', tx: undefined, position: undefined, delivered: false },
})

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
