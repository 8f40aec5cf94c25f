/** A payment that buys for the first time: verify, answer, promise, settle. The call waits for one write only: the promise. */
import { Failure } from '../../offer/errors.ts'
import type { Turn } from '../facilitator/facilitators.ts'
import { busy, logUnavailable, written } from '../payment-failures.ts'
import type { Sale, Sold } from '../till.ts'
import type { Allowance } from './allowance.ts'
import type { answering } from './answer.ts'
import type { Conclusion } from './conclusion.ts'
import type { delivering } from './delivery.ts'
import type { Trying } from './new-payers.ts'
import type { Places } from './places.ts'
import { type PromisingParts, promising } from './promise.ts'
import type { Reservation } from './reservation.ts'
import type { Stopping } from './stop.ts'
import { type UnspentParts, unspent } from './unspent.ts'

export interface FirstSaleParts extends PromisingParts, UnspentParts {
  places: Places
  allowance: Allowance
  stopping: Stopping
  aside(work: Promise<unknown>): void
  step(step: 'answered' | 'promised'): void
}

/** The state of one call during its sale. */
export interface SaleCall {
  sale: Sale
  keys: string[]
  reservation: Reservation
  /** By this process's monotonic clock. The caller gets an answer by then. */
  deadline: number
}

interface Work {
  conclusion: Conclusion
  verifiedAnswer: ReturnType<typeof answering>['verifiedAnswer']
  handOver: ReturnType<typeof delivering>['handOver']
}

export function firstSales(parts: FirstSaleParts, { conclusion, verifiedAnswer, handOver }: Work) {
  const { ledger, places, allowance, stopping, step } = parts
  const { purchases } = ledger
  const { mustBeUnspent, mustBeNew } = unspent(parts)
  const { mustLast, mustNotOutlast, turnOf, trialOf, promise } = promising(parts)
  const recorded = <T>(write: () => Promise<T>): Promise<T> => written(write, parts.onError)

  /** Undefined if another instance was first with the payment or a key. */
  async function firstTime(call: SaleCall): Promise<Sold | undefined> {
    const { sale, keys, deadline } = call
    const { payment, requestId, product } = sale
    const closed = parts.facilitators.choice.closedFor(payment)
    await mustBeUnspent(payment)
    mustLast(payment)
    mustNotOutlast(payment)
    allowance.admit(sale)
    if (closed) throw closed
    if (purchases.isFull) throw busy('1')
    if (ledger.isBehind) throw logUnavailable()
    const place = places.take(payment, sale.caller, sale.question.length)
    let turn: Turn | undefined
    let trial: Trying | undefined
    let isAnnounced = false
    try {
      trial = await trialOf(sale)
      await mustBeNew(sale)
      if (product.costs === 'costly') {
        // The log may have what it did not show in time.
        isAnnounced = true
        isAnnounced = await recorded(() => ledger.announce(payment.spendId, requestId, keys))
        if (!isAnnounced) return undefined
      }
      const answer = await verifiedAnswer(sale, trial.isTrusted)
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
      const leave = () => {
        place.free()
        trial?.end()
      }
      await conclusion.conclude(purchase, sale, { deadline, turn, leave })
      trial.paid()
      return handOver(purchase, { ...call, asking: sale }, { replayed: false, answer })
    } finally {
      turn?.leave()
      place.free()
      trial?.end()
      if (isAnnounced) parts.aside(ledger.withdraw(payment.spendId, requestId))
    }
  }

  /** Throws after a stop, because the caller may have been told that nothing was charged. */
  function mustBegin(): void {
    if (stopping.isOver) throw new Failure('shutting_down')
  }

  return { firstTime }
}
