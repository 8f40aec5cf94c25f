/** The promise of a sale. Before it, the payment has a connection to be settled over, and life enough to be settled. */
import { traced } from '../../../pipelines/rails/tracing/tracing.ts'
import { instant } from '../../../schemas/values/values.ts'
import { Failure } from '../../offer/errors.ts'
import type { Facilitators, Turn } from '../facilitator/facilitators.ts'
import { outlastsQuote, type Purchase, quotedLifeMs } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { facilitatorUnavailable, unfit, written } from '../payment-failures.ts'
import type { Payment, Sale } from '../till.ts'
import { settleMarginMs } from './answer.ts'
import { hashesOf } from './hashes.ts'
import type { NewPayers, Trying } from './new-payers.ts'
import { mostPaying } from './promised-payments.ts'
import { fingerprintOf } from './replay.ts'
import { at } from './steps.ts'
import { dollars } from './unpaid.ts'

export interface PromisingParts {
  ledger: Ledger
  facilitators: Facilitators
  trials: NewPayers
  now: () => number
  limits: { lineMs: number }
  onError(error: unknown): void
}

export function promising({ ledger, facilitators, trials, now, limits, onError }: PromisingParts) {
  const lastsMs = ({ expiresAt }: Payment): number => expiresAt - settleMarginMs - now()

  /** Throws if the authorization ends too soon: the facilitator might then refuse to settle it. */
  function mustLast(payment: Payment): void {
    if (lastsMs(payment) < 0) throw new Failure('payment_expired')
  }

  /** So many payments that live long are remembered already that only those with the life of a quote are taken. */
  function mustNotOutlast({ deadAt }: Payment): void {
    if (ledger.purchases.isFullOfLong && outlastsQuote(deadAt - now()))
      throw unfit(
        `Too many payments with long lives are remembered: sign one that ends within ${quotedLifeMs / 1000} seconds`,
      )
  }

  /** Waits for a connection to settle over. Until then nobody has seen the payment, so the call is free. */
  async function turnOf(payment: Payment): Promise<Turn> {
    mustLast(payment)
    const waitMs = Math.min(lastsMs(payment), limits.lineMs)
    const turn = await at('connection', payment.network, () => facilitators.turn(payment, waitMs))
    if (!turn)
      throw waitMs < limits.lineMs
        ? new Failure('payment_expired')
        : facilitatorUnavailable('The payment facilitator has no connection left for this network')
    if (lastsMs(payment) >= 0) return turn
    turn.leave()
    throw new Failure('payment_expired')
  }

  /** Waits until it is known whether this caller's other new payers can pay. */
  function trialOf(sale: Sale): Trying | Promise<Trying> {
    const { payment } = sale
    const waitMs = Math.min(lastsMs(payment), limits.lineMs)
    return at('turn', payment.network, () => trials.begin(sale, waitMs))
  }

  function promise(
    { sale, keys }: { sale: Sale; keys: string[] },
    answer: string,
    packed: string,
  ): Promise<Purchase | undefined> {
    const { product, question, requestId, payment } = sale
    const { spendId } = payment
    const promised = {
      promised_at: instant(now()),
      since: ledger.purchases.refusedSince(spendId),
      origin: payment.origin,
      operation: product.id,
      network: payment.network,
      // A payment of an older quote has paid the price of that quote.
      price_usdc: dollars(BigInt(payment.offer.amount)),
      payer: payment.payer,
      pay_to: payment.offer.payTo,
      fingerprint: fingerprintOf(spendId, sale),
      caller: ledger.callers.of(spendId, sale.caller),
      ...hashesOf(product, question, answer),
      dead_at: instant(payment.deadAt),
      answer: packed,
      trace: payment.trace,
    }
    const paying = payment.paying.length <= mostPaying ? payment.paying : null
    const write = () =>
      traced('promise', () => ledger.promise(spendId, requestId, keys, { promised, paying }))
    return at('promise', payment.network, () => written(write, onError))
  }

  return { mustLast, mustNotOutlast, turnOf, trialOf, promise }
}
