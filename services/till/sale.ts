/** One sale: reserve, verify, answer, promise, settle, hand over. A call waits for one write only: the promise. */

import { Failure } from '../offer/errors.ts'
import type { Availability } from './facilitator/availability.ts'
import type { Leave } from './facilitator/connection-line.ts'
import type { Purchase } from './ledger/purchase.ts'
import { busy, facilitatorUnavailable, secretIsKept, unknownOutcome, written } from './payment-failures.ts'
import { type AnsweringParts, answering } from './sale/answer.ts'
import { type OwingParts, owing } from './sale/claim.ts'
import { Conclusion, type ConclusionParts } from './sale/conclusion.ts'
import { type PromisingParts, promising } from './sale/promise.ts'
import { isBearer, keysOf, type replays } from './sale/replay.ts'
import { Reservation } from './sale/reservation.ts'
import { at } from './sale/steps.ts'
import { unspent } from './sale/unspent.ts'
import type { Sale, Sold } from './till.ts'

/** The steps of a sale. A test may crash the process at each of them. */
export type Step = 'reserved' | 'verified' | 'answered' | 'promised' | 'settled'

interface SaleParts
  extends Omit<OwingParts, 'limits'>,
    Omit<ConclusionParts, 'step'>,
    Omit<AnsweringParts, 'step' | 'limits'>,
    Omit<PromisingParts, 'limits'> {
  availability: Availability
  replays: ReturnType<typeof replays>
  now: () => number
  limits: Limits
  step(step: Step): void
  onError(error: unknown): void
}

interface Limits {
  answerMs: number
  /** The longest wait for a connection to the facilitator. */
  lineMs: number
  /** The longest time that a caller waits for an unknown outcome. */
  unknownMs: number
}

/** The state of one call during its sale. */
interface Call {
  sale: Sale
  keys: string[]
  reservation: Reservation
  /** By this process's monotonic clock. The caller gets an answer by then. */
  deadline: number
}

export function seller(parts: SaleParts) {
  const { ledger, recovery, places, allowance, stopping, step } = parts
  const { purchases } = ledger
  const conclusion = new Conclusion(parts)
  const { verifiedAnswer, boughtAnswer } = answering(parts)
  const { again, knows, claimed, handOver, leave, truthOf } = owing(parts, { conclusion, boughtAnswer })
  const { mustBeUnspent, mustBeNew } = unspent(parts)
  const { mustLast, turnOf, promise } = promising(parts)
  const recorded = <T>(write: () => Promise<T>): Promise<T> => written(write, parts.onError)

  async function sell(sale: Sale): Promise<Sold> {
    const { spendId } = sale.payment
    const reservation = new Reservation(parts, spendId)
    let sold: Sold | undefined
    try {
      const work = reserved({
        sale,
        keys: keysOf(sale, sale.payment.paymentIdentifier),
        reservation,
        deadline: performance.now() + parts.limits.unknownMs,
      })
      sold = await stopping.within(work, () => {
        return purchases.of(spendId) ? unknownOutcome() : new Failure('shutting_down')
      })
      return sold
    } catch (error) {
      throw truthOf(error, spendId)
    } finally {
      if (!sold) leave(reservation, purchases.of(spendId))
    }
  }

  async function reserved(call: Call): Promise<Sold> {
    const { sale, keys, reservation } = call
    const { spendId } = sale.payment
    for (; ; reservation.beginAgain()) {
      const isSettled = () => purchases.of(spendId)?.state === 'settled'
      await at('turn', sale.payment.network, () => reservation.take(spendId, isSettled))
      step('reserved')
      const earlier = purchases.of(spendId)
      const isTaken = earlier && (await recovery.isTaken(earlier, sale))
      const owed = isTaken && (await claimed(earlier, { ...call, asking: sale, payment: sale.payment }))
      if (owed) return owed

      for (const key of keys) {
        await reservation.take(key, () => parts.replays.kept(key) !== undefined)
        const kept = await boughtWith(key, sale)
        if (kept) return handOver(kept, { ...call, asking: sale }, { replayed: true })
      }
      const sold = await firstTime(call)
      // Otherwise another instance was first with the payment or a key, and its outcome is known now.
      if (sold) return sold
    }
  }

  /** Finds the purchase of this key with another payment. The sale then does not use its own payment. */
  async function boughtWith(key: string, sale: Sale): Promise<Purchase | undefined> {
    const purchase = purchases.ofKey(key)
    if (purchase?.state === 'open') await recovery.look(purchase)
    if (!purchase || purchase.state === 'failed') return undefined
    if (purchase.state === 'settled' && !purchases.replayable(purchase)) return undefined
    if (sale.product.holdsSecret) throw secretIsKept()
    if (purchase.state === 'open' || !isBearer(key, sale)) throw new Failure('idempotency_conflict')
    return purchase
  }

  async function firstTime(call: Call): Promise<Sold | undefined> {
    const { sale, keys, deadline } = call
    const { payment, requestId, product } = sale
    const closed = parts.availability.down ?? parts.retries.quiet
    await mustBeUnspent(payment)
    mustLast(payment)
    allowance.admit(sale)
    if (closed) throw facilitatorUnavailable(closed)
    if (purchases.isFull) throw busy('1')
    const place = places.take(payment, sale.caller, sale.question.length)
    let turn: Leave | undefined
    let isAnnounced = false
    try {
      await mustBeNew(sale)
      if (product.costs === 'costly') {
        isAnnounced = await recorded(() => ledger.announce(payment.spendId, requestId, keys))
        if (!isAnnounced) return undefined
      }
      const answer = await verifiedAnswer(sale)
      const packed = await recorded(() => ledger.answers.pack(answer))
      if (!place.grow(answer.length + (packed === answer ? 0 : packed.length))) throw busy('1')
      step('answered')
      turn = await turnOf(payment)
      places.admit(payment.payer, sale.caller)
      mustBegin()
      const purchase = await promise(call, answer, packed)
      isAnnounced = false
      if (!purchase) return undefined
      places.promised(purchase, sale.caller)
      step('promised')
      mustBegin()
      await conclusion.conclude(purchase, sale, { deadline, turn, leave: place.free })
      return handOver(purchase, { ...call, asking: sale }, { replayed: false, answer })
    } finally {
      turn?.()
      place.free()
      if (isAnnounced) parts.aside(ledger.withdraw(payment.spendId, requestId))
    }
  }

  /** Throws after a stop, because the caller may have been told that nothing was charged. */
  function mustBegin(): void {
    if (stopping.isOver) throw new Failure('shutting_down')
  }

  return { sell, again, knows }
}
