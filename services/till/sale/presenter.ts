/** Gives the answer of a purchase to somebody who presents its payment and shows that it is his. */
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { unknownOutcome, written } from '../payment-failures.ts'
import type { Quotes } from '../quotes.ts'
import type { Payment, Sold } from '../till.ts'
import type { Conclusion } from './conclusion.ts'
import type { delivering } from './delivery.ts'
import type { proofs } from './proof.ts'
import type { Recovery } from './recovery.ts'
import type { Reservation } from './reservation.ts'
import { type Claimant, witnesses } from './witness.ts'

/** Somebody who presents a payment. */
export interface Presenter extends Claimant {
  /** A payment that passes every check may be settled again. */
  payment?: Payment | undefined
  reservation: Reservation
  /** By this process's monotonic clock. */
  deadline: number
}

type Work = { conclusion: Conclusion } & Pick<ReturnType<typeof delivering>, 'handOver'>

export interface ClaimParts {
  ledger: Ledger
  quotes: Quotes
  recovery: Recovery
  proofs: ReturnType<typeof proofs>
  onError(error: unknown): void
}

export function claims(parts: ClaimParts, { conclusion, handOver }: Work) {
  const { ledger, recovery, proofs, onError } = parts
  const { witnessOf, refusalOf } = witnesses(parts)

  /** Gives the answer to a presenter with a witness. Undefined if the payment was not taken: then it may buy. */
  async function claimed(purchase: Purchase, presenter: Presenter): Promise<Sold | undefined> {
    const { asking, proven, payment, reservation, deadline } = presenter
    const replayed = purchase.state === 'settled'
    if (!witnessOf(purchase, presenter)) throw refusalOf(purchase, asking.product)
    await reservation.hold(purchase)
    if (purchase.state === 'open') {
      await written(() => ledger.secure(purchase), onError)
      await (payment ? conclusion.concludeAgain(purchase, payment, deadline) : recovery.look(purchase))
      if (purchase.state === 'open') throw unknownOutcome()
    }
    // It was refused meanwhile, or has failed: no money has moved, so nothing is given.
    if (purchase.state !== 'settled') return undefined
    const witness = witnessOf(purchase, presenter)
    if (!witness) throw refusalOf(purchase, asking.product)
    const isUsed = witness === 'payer' && !(await proofs.use(purchase, proven as string, asking.requestId))
    if (isUsed) throw refusalOf(purchase, asking.product)
    // Callers may share an address, and only the payer may end the payer's claim.
    const endsClaim = witness !== 'caller'
    return handOver(purchase, presenter, { replayed, endsClaim })
  }

  return { claimed }
}
