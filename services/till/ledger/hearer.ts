/** Updates the memory of this run from the log, step by step. */
import type { Received } from '../../../pipelines/rails/log/log.ts'
import type { CarriedPurchase } from '../../../schemas/till-open.ts'
import type { SignedPromise, TillStep } from '../../../schemas/till-promises.ts'
import type { Carried } from './carried.ts'
import type { Judge } from './judge.ts'
import { openPurchase, type Purchase } from './purchase.ts'
import type { Purchases } from './purchases.ts'
import type { Readback } from './readback.ts'
import { beginningOf, nameOf, readStep } from './steps.ts'
import type { Unread } from './unread.ts'

export interface LogClock {
  /** The lead of the log's clock over ours. */
  aheadMs: number
  /** The time of the newest record. */
  heardAt: number
  /** The last time that this run read a record of its own back, by the clock that nobody can set. */
  ownAt: number
}

interface HearingParts {
  run: string
  /** True if no other process has the log. */
  isOwned: boolean
  now: () => number
  uptime: () => number
  clock: LogClock
  purchases: Purchases
  judge: Judge
  carried: Carried
  readback: Readback
  unread: Unread
  /** Promises that this run has not read back yet, by their requests. */
  promising: ReadonlyMap<string, Purchase>
  opening(spendId: string, requestId: string, keys: readonly string[], signed: SignedPromise): Purchase
}

export class Hearing {
  readonly #parts: HearingParts
  readonly #own: string
  constructor(parts: HearingParts) {
    this.#parts = parts
    this.#own = beginningOf(parts.run)
  }

  /** Restores a purchase from before the beginning of the log. */
  restore({ spend_id, request_id, keys, promised, ...carried }: CarriedPurchase): void {
    const { purchases, judge } = this.#parts
    const { holder, payment_tx: tx, payment_position, settled_at, delivered } = carried
    const writtenAt = Date.parse(carried.written_at)
    const purchase = openPurchase({
      spendId: spend_id,
      requestId: request_id,
      keys,
      promised,
      holder: holder ?? undefined,
      writtenAt,
      isWritten: true,
    })
    purchases.put(purchase)
    const position = payment_position ?? undefined
    if (tx !== null)
      purchases.settled(purchase, { tx, position }, Date.parse(settled_at ?? carried.written_at))
    if (delivered) purchases.delivered(purchase, deliveredAtOf(carried, purchase))
    if (carried.refused) purchases.refused(purchase)
    judge.restore({
      requestId: request_id,
      // No run works on a refused purchase, so nobody has to wait until its run is known to be dead.
      holder: carried.refused ? undefined : purchase.holder,
      state: carried.refused ? 'refused' : tx === null ? 'open' : 'settled',
      at: tx === null ? writtenAt : purchase.settledAt,
      things: [spend_id, ...keys],
    })
  }

  read(batch: readonly Received[]): void {
    const { carried, clock, isOwned, judge, promising, run, unread } = this.#parts
    for (const { value, ...record } of batch) {
      const { at, offset } = record
      clock.heardAt = Math.max(clock.heardAt, at)
      carried.checkpoint.mark(at, offset)
      if (value === null) continue
      const { event: step, reason } = readStep(value, this.#own, promising)
      if (!step) {
        unread.hear({ ...record, value }, reason)
        continue
      }
      const stands = isOwned || judge.hear(step, at)
      if (step.by === run) this.#applyOwn(step, at, stands && !this.#mayBeSecond(step))
      else this.#apply(step, at, stands)
    }
  }

  /** The unreadable record before it may be the first promise for this payment. */
  #mayBeSecond({ step, spend_id }: TillStep): boolean {
    const { unread, purchases } = this.#parts
    return step === 'promised' && unread.since(spend_id) !== undefined && !purchases.of(spend_id)
  }

  /** The memory already knows the steps of this run. Only the log's decision is new. */
  #applyOwn(step: TillStep, at: number, stands: boolean): void {
    const { now, uptime, clock, readback } = this.#parts
    clock.aheadMs = at - now()
    clock.ownAt = uptime()
    if (step.step === 'promised' && stands) this.#promised(step, at)
    if (step.step === 'taken' && stands) this.#taken(step)
    readback.heard(nameOf(step), stands)
  }

  #apply(step: TillStep, at: number, stands: boolean): void {
    const { purchases, unread } = this.#parts
    if (step.step === 'failed') unread.clear(step.spend_id)
    if (!stands) return
    if (step.step === 'promised') this.#promised(step, at)
    if (step.step === 'taken') this.#taken(step)
    const known = purchases.of(step.spend_id)
    if (known?.requestId !== step.request_id) return
    const { payment_tx: tx, payment_position: position } = step
    if (tx !== null) purchases.settled(known, { tx, position: position ?? undefined }, at)
    if (step.step === 'failed' && known.state !== 'settled') purchases.failed(known)
    if (step.step === 'refused') purchases.refused(known)
    if (step.step === 'yielded') purchases.drop(known)
    if (step.step === 'delivered') purchases.delivered(known, at)
    if (step.step === 'returned' && known.holder === step.by) known.holder = undefined
  }

  #promised({ by, spend_id, request_id, keys, promised, paying = null }: TillStep, at: number): void {
    const { purchases, promising, opening } = this.#parts
    const heard = { writtenAt: at, isWritten: true }
    const known = purchases.of(spend_id)
    if (known?.requestId === request_id) Object.assign(known, heard)
    else if (promised && known?.state !== 'settled') {
      const purchase = promising.get(request_id) ?? opening(spend_id, request_id, keys, { promised, paying })
      purchases.put(Object.assign(purchase, { holder: by, ...heard }))
    }
  }

  #taken({ by, spend_id, request_id }: TillStep): void {
    const known = this.#parts.purchases.of(spend_id)
    if (known?.requestId === request_id) known.holder = by
  }
}

/** Older records lack the time of the delivery. */
const deliveredAtOf = (
  { delivered_at }: Pick<CarriedPurchase, 'delivered_at'>,
  { settledAt }: Purchase,
): number => (delivered_at === null ? settledAt : Date.parse(delivered_at))
