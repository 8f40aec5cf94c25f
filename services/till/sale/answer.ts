/** The answer of a sale: a new one after verification, or the one that was bought before. */
import { Unsold } from '../../../pipelines/rails/failures.ts'
import { instant } from '../../../schemas/values/values.ts'
import { AlreadyUsed, Failure, Refused } from '../../offer/errors.ts'
import type { Facilitators } from '../facilitator/facilitators.ts'
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { answerUnread, facilitatorUnavailable } from '../payment-failures.ts'
import type { Asking, Payment, Sale } from '../till.ts'
import type { Allowance } from './allowance.ts'
import { unlessCut } from './cut.ts'
import { at } from './steps.ts'
import type { Unpaid } from './unpaid.ts'

export interface AnsweringParts {
  ledger: Ledger
  facilitators: Facilitators
  allowance: Allowance
  unpaid: Unpaid
  now: () => number
  limits: { answerMs: number }
  step(step: 'verified'): void
  onError(error: unknown): void
}

/** A facilitator demands 6 s of an authorization's life when it settles. */
export const settleMarginMs = 8000
/** In characters. A new payer's payment is verified before so much is written for him. */
const longAnswer = 64 << 10
const tooLong = 'The answer took too long'
const lost = 'The answer that the payment has bought is lost: ask the seller for the money'

type Answered = Pick<Asking, 'answer' | 'caller'> & { payment: Pick<Payment, 'payer' | 'proven'> }

export function answering(parts: AnsweringParts) {
  const { ledger, facilitators, allowance, limits, now, step } = parts

  /**
   * Work for the caller begins only after the verification; facts in memory are read beside it. If an answer costs nothing, or its payer
   * is trusted, the settlement is the verification: it is as free where it fails. An answer with a cost after all asks for the verification.
   */
  async function verifiedAnswer(sale: Sale, isTrusted: boolean): Promise<string> {
    const { payment, product } = sale
    let verifying: Promise<void> | undefined
    const by = { payer: payment.payer, proven: payment.proven }
    const verified = () => {
      verifying ??= verify(sale).then(() => {
        by.proven = true
      })
      return verifying
    }
    const lastsMs = () => payment.expiresAt - settleMarginMs - now()
    const answer = (isSure = verified) =>
      at('answer', payment.network, () => answered({ ...sale, payment: by }, isSure, lastsMs()))
    if (isTrusted) return answer(async () => {})
    if (product.costs === 'held' && payment.settlesSurely)
      return verifiedIfLong(await answer(), allowance.hasPaid(payment.payer) ? undefined : verified)
    if (product.costs === 'costly') await verified()
    const [made] = await Promise.all([answer(), verified()])
    return made
  }

  async function verify(sale: Sale): Promise<void> {
    const { payment } = sale
    const reply = await at('verify', payment.network, () => facilitators.verify(payment))
    if (reply.outcome === 'valid') return step('verified')
    if (reply.outcome === 'unavailable') throw facilitatorUnavailable()
    throw await parts.unpaid(sale, reply.code, allowance.countUnpaid(sale))
  }

  async function answered(
    asking: Answered,
    verified: () => Promise<void>,
    withinMs = limits.answerMs,
  ): Promise<string> {
    try {
      return await inTime(asking.answer(verified), Math.min(limits.answerMs, withinMs))
    } catch (error) {
      // Refusals are free, but the till limits those that cost a request to an upstream.
      if (error instanceof Unsold && error.asks) allowance.count(asking, error.asks)
      if (error instanceof Refused && error.asks) error.headers = allowance.count(asking, error.asks)
      throw error
    }
  }

  /** A paid answer is owed even if the store has lost it for good. The till then makes it again. */
  async function boughtAnswer(purchase: Purchase, asking: Asking): Promise<string> {
    if (ledger.answers.isPacked(purchase.promised.answer)) allowance.admitReplay(asking.caller)
    const kept = await ledger.readAnswer(purchase)
    if (kept) return kept
    // The sale began something that cannot begin a second time.
    if (asking.product.holdsSecret) throw new AlreadyUsed(purchase.tx ?? '', lost)
    const payment = { payer: purchase.promised.payer, proven: true }
    const answer = await answered({ ...asking, payment }, async () => {}).catch(error => {
      parts.onError(error)
      throw answerUnread()
    })
    ledger.purchases.keepAnswer(purchase, answer, instant(now()))
    return answer
  }

  return { verifiedAnswer, boughtAnswer }
}

/** A promise holds the whole answer, so an empty wallet must not have long ones written. */
async function verifiedIfLong(answer: string, verified?: () => Promise<void>): Promise<string> {
  if (answer.length > longAnswer) await verified?.()
  return answer
}

const inTime = <T>(work: Promise<T>, ms: number): Promise<T> =>
  unlessCut(work, cut => {
    const timer = setTimeout(() => cut(new Failure('upstream_failed', tooLong)), ms)
    return () => clearTimeout(timer)
  })
