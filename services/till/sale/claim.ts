/**
 * Decides who gets the answer of a payment that comes again. A settled payment is public on its chain, and a question can be
 * guessed. So its presenter must show something that is not public. Without it, he gets the same refusal whatever he asks.
 */
import { checkPayment, paymentIdentifier } from '../payment.ts'
import { unknownOutcome } from '../payment-failures.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Spends } from '../spends.ts'
import type { Again, Presented, Sold } from '../till.ts'
import type { answering } from './answer.ts'
import type { Conclusion } from './conclusion.ts'
import { delivering } from './delivery.ts'
import { type ClaimParts, claims, type Presenter } from './presenter.ts'
import { keysOf } from './replay.ts'
import { Reservation, type ReservationParts } from './reservation.ts'
import type { Stopping } from './stop.ts'
import { witnesses } from './witness.ts'

export interface OwingParts extends ReservationParts, ClaimParts {
  schemes: Schemes
  spends: Spends
  stopping: Stopping
  limits: { unknownMs: number }
}

type Work = { conclusion: Conclusion } & Pick<ReturnType<typeof answering>, 'boughtAnswer'>

export function owing(parts: OwingParts, { conclusion, boughtAnswer }: Work) {
  const { ledger, turns, schemes, quotes, stopping, limits } = parts
  const { purchases } = ledger
  const { witnessOf, refusalOf } = witnesses(parts)
  const { handOver, leave, truthOf } = delivering(ledger, boughtAnswer)
  const { claimed } = claims(parts, { conclusion, handOver })

  const knows = (presented: Presented): boolean => knownIn(presented) !== undefined

  const knownIn = (presented: Presented) =>
    parts.spends.known(
      presented,
      id => purchases.taken(id) !== undefined || turns.isTaken(id) || ledger.isBusy(id),
    )

  async function again({ presented, proof, ...asking }: Again): Promise<Sold | undefined> {
    const spendId = knownIn(presented)
    if (spendId === undefined) return undefined
    const keys = keysOf(asking, paymentIdentifier(presented.json.extensions))
    const known = purchases.taken(spendId)
    const shown = { proof, resourceUrl: quotes.of(asking.product).url.href, caller: asking.caller }
    const proven = known && (await parts.proofs.provenBy(known, shown))
    // A presenter without a right to the answer must not keep its payer waiting.
    if (known && !witnessOf(known, { asking, keys, proven })) throw refusalOf(known, asking.product)
    const reservation = new Reservation(parts, spendId)
    const deadline = performance.now() + limits.unknownMs
    let sold: Sold | undefined
    try {
      const work = presentedAgain({ presented, asking, keys, proven, reservation, deadline }, spendId)
      sold = await stopping.within(work, unknownOutcome)
      return sold
    } catch (error) {
      throw truthOf(error, spendId)
    } finally {
      if (!sold) leave(reservation, purchases.of(spendId))
    }
  }

  async function presentedAgain(
    { presented, ...presenter }: Presenter & { presented: Presented },
    spendId: string,
  ): Promise<Sold | undefined> {
    await presenter.reservation.take(spendId, () => purchases.of(spendId)?.state === 'settled')
    const purchase = purchases.of(spendId)
    if (!purchase || !(await parts.recovery.isTaken(purchase, presenter.asking))) return undefined
    if (purchase.state !== 'open') return claimed(purchase, presenter)
    // Price, payee and clock may have changed since the sale. Then the till looks at the chain and settles nothing.
    const checked = checkPayment(presented, presenter.asking.product, { quotes, schemes })
    return claimed(purchase, { ...presenter, payment: await checked.catch(() => undefined) })
  }

  return { knows, again, claimed, handOver, leave, truthOf }
}
