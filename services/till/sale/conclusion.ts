/** Brings a promised purchase to a sure end: the money has moved, or it has not and never will. */
import { type ErrorCode, Failure } from '../../errors.ts'
import type { Availability } from '../facilitator/availability.ts'
import type { Facilitator } from '../facilitator/facilitator.ts'
import type { SettleReply } from '../facilitator/reply.ts'
import { unknownOutcome } from '../failures.ts'
import type { Purchase } from '../ledger/purchases.ts'
import type { Ledger } from '../ledger.ts'
import { notSettled } from '../receipt.ts'
import type { Payment, Sale } from '../till.ts'
import type { Allowance } from './allowance.ts'
import type { Recovery } from './recovery.ts'

export interface ConclusionParts {
  ledger: Ledger
  facilitator: Facilitator
  recovery: Recovery
  allowance: Allowance
  availability: Availability
  step(step: 'settled'): void
  aside(work: Promise<unknown>): void
}

export function concluding(parts: ConclusionParts) {
  const { ledger, facilitator, recovery, allowance, step } = parts

  const settle = ({ request, offer, payer }: Payment, withinMs?: number): Promise<SettleReply> =>
    facilitator.settle(request, { network: offer.network, payer }, withinMs)

  /** Tries until the deadline to learn the end of a purchase that an earlier call may have settled. */
  const concludeAgain = (purchase: Purchase, payment: Payment, deadline: number): Promise<void> =>
    recovery.conclude(purchase, Math.min(deadline, performance.now() + payment.patienceMs), withinMs =>
      settle(payment, withinMs),
    )

  /** Settles. Returns only if the money has moved. Says "not charged" only if it has not and never will. */
  async function conclude(purchase: Purchase, sale: Sale, deadline: number): Promise<void> {
    const { payment } = sale
    const reply = await settle(payment)
    step('settled')
    // It may be gone. Then the next calls are refused at once.
    if (reply.outcome !== 'settled') parts.aside(parts.availability.ask())
    const credited = reply.outcome === 'settled' && { tx: reply.tx, position: undefined }
    if (credited && !ledger.purchases.paidAnother(purchase, credited)) {
      ledger.recordSettled(purchase, credited, false)
      return
    }
    if (reply.outcome === 'failed') {
      await ledger.recordFailed(purchase, reply.reason, false)
      throw notCharged(sale, reply.code)
    }
    const reason = reply.outcome === 'unknown' ? reply.reason : 'transaction_known'
    ledger.recordDoubt(purchase, reason)
    await concludeAgain(purchase, payment, deadline)
    if (purchase.state === 'open') throw unknownOutcome()
    if (purchase.state === 'failed') throw notCharged(sale, 'payment_rejected')
  }

  function notCharged(sale: Sale, code: ErrorCode): Failure {
    const { offer, payer } = sale.payment
    if (code !== 'facilitator_unavailable') allowance.countUnpaid(sale)
    return new Failure(code, undefined, notSettled(offer.network, payer, code))
  }

  return { conclude, concludeAgain }
}
