/** The end of a call: its payer gets what he has bought, and others may work on the purchase again. */
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { unknownOutcome } from '../payment-failures.ts'
import { soldWith } from '../receipt.ts'
import type { Asking, Sold } from '../till.ts'
import type { answering } from './answer.ts'
import type { Reservation } from './reservation.ts'

interface Giving {
  asking: Asking
  reservation: Reservation
}

export function delivering(ledger: Ledger, boughtAnswer: ReturnType<typeof answering>['boughtAnswer']) {
  /** Ends the call. The purchase is done when the payer has the answer. */
  async function handOver(
    purchase: Purchase,
    { asking, reservation }: Giving,
    { replayed, answer, endsClaim = true }: { replayed: boolean; answer?: string; endsClaim?: boolean },
  ): Promise<Sold> {
    const text = answer ?? (await boughtAnswer(purchase, asking))
    // It is settled, and its answer is there. Whoever may have it need not wait until a slow or dead connection has ended.
    reservation.release()
    const delivered = (whole: boolean) => {
      if (whole && endsClaim && !purchase.delivered) ledger.recordDelivered(purchase)
      leave(reservation, purchase)
    }
    return soldWith(purchase, text, { replayed, delivered })
  }

  /** Lets others work on it from here on. */
  function leave(reservation: Reservation, purchase: Purchase | undefined): void {
    if (purchase && !purchase.delivered) ledger.giveBack(purchase)
    reservation.release()
  }

  /** A failure of the log says nothing about a payment that was taken before, so "not charged" would be a lie. */
  const truthOf = (error: unknown, spendId: string): unknown =>
    (error as { code?: string }).code === 'log_unavailable' && ledger.purchases.owed(spendId)
      ? unknownOutcome()
      : error

  return { handOver, leave, truthOf }
}
