/** One call with a payment: reserve, give what was bought before or sell for the first time, hand over. */

import { Failure } from '../offer/errors.ts'
import type { Purchase } from './ledger/purchase.ts'
import { secretIsKept, unknownOutcome } from './payment-failures.ts'
import { type AnsweringParts, answering } from './sale/answer.ts'
import { type OwingParts, owing } from './sale/claim.ts'
import { Conclusion, type ConclusionParts } from './sale/conclusion.ts'
import { type FirstSaleParts, firstSales, type SaleCall } from './sale/first-sale.ts'
import { isBearer, keysOf, type replays } from './sale/replay.ts'
import { Reservation } from './sale/reservation.ts'
import { at } from './sale/steps.ts'
import type { Sale, Sold } from './till.ts'

/** The steps of a sale. A test may crash the process at each of them. */
export type Step = 'reserved' | 'verified' | 'answered' | 'promised' | 'settled'

interface SaleParts
  extends Omit<OwingParts, 'limits'>,
    Omit<ConclusionParts, 'step'>,
    Omit<AnsweringParts, 'step' | 'limits'>,
    Omit<FirstSaleParts, 'step' | 'limits'> {
  replays: ReturnType<typeof replays>
  limits: Limits
  step(step: Step): void
}

interface Limits {
  answerMs: number
  /** The longest wait for a connection to the facilitator. */
  lineMs: number
  /** The longest time that a caller waits for an unknown outcome. */
  unknownMs: number
}

export function seller(parts: SaleParts) {
  const { recovery, stopping, step } = parts
  const { purchases } = parts.ledger
  const conclusion = new Conclusion(parts)
  const { verifiedAnswer, boughtAnswer } = answering(parts)
  const { again, knows, claimed, handOver, leave, truthOf } = owing(parts, { conclusion, boughtAnswer })
  const { firstTime } = firstSales(parts, { conclusion, verifiedAnswer, handOver })

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

  async function reserved(call: SaleCall): Promise<Sold> {
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

  return { sell, again, knows }
}
