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
      verifying ??= verify(sale, by)
      return verifying
    }
    const lastsMs = () => payment.expiresAt - settleMarginMs - now()
    const answer = async (isSure = verified) => {
      const life = { lastsMs: lastsMs(), ended: () => outlived(sale, allowance) }
      const made = await at('answer', payment.network, () => answered({ ...sale, payment: by }, isSure, life))
      if (lastsMs() < 0) throw life.ended()
      return made
    }
    if (isTrusted) return verifiedIfLong(await answer(async () => {}), verified)
    if (product.costs === 'held' && payment.settlesSurely)
      return verifiedIfLong(await answer(), allowance.hasPaid(payment.payer) ? undefined : verified)
    if (product.costs === 'costly') await verified()
    const [made] = await Promise.all([answer(), verified()])
    return made
  }

  async function verify(sale: Sale, by: { proven: boolean }): Promise<void> {
    const { payment } = sale
    const reply = await at('verify', payment.network, () => facilitators.verify(payment))
    by.proven ||= reply.outcome === 'valid'
    if (reply.outcome === 'valid') return step('verified')
    if (reply.outcome === 'unavailable') throw facilitatorUnavailable()
    throw await parts.unpaid(sale, reply.code, allowance.countUnpaid(sale))
  }

  async function answered(
    asking: Answered,
    verified: () => Promise<void>,
    life: Life = { lastsMs: Number.POSITIVE_INFINITY, ended: tooSlow },
  ): Promise<string> {
    try {
      return await inTime(asking.answer(verified), limits.answerMs, life)
    } catch (error) {
      count(error, asking, allowance)
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

/** The work was for nothing. Its payer chooses how long a payment lives, so one that ends meanwhile counts. */
const outlived = (sale: Sale, allowance: Allowance) =>
  new Failure('payment_expired', undefined, allowance.countUnpaid(sale))

/** Refusals are free, but the till limits those that cost a request to an upstream. */
function count(error: unknown, asking: Answered, allowance: Allowance): void {
  const isCounted = error instanceof Unsold || error instanceof Refused || error instanceof Failure
  if (!isCounted || !error.asks) return
  const standing = allowance.count(asking, error.asks)
  if (!(error instanceof Unsold)) Object.assign(error.headers, standing)
}

/** A promise holds the whole answer, so an empty wallet must not have long ones written, also one that had money before. */
async function verifiedIfLong(answer: string, verified?: () => Promise<void>): Promise<string> {
  if (answer.length > longAnswer) await verified?.()
  return answer
}

/** How long a payment can be settled still, and what ends its call then. */
interface Life {
  lastsMs: number
  ended(): Failure
}

const tooSlow = () => new Failure('upstream_failed', tooLong)

const inTime = <T>(work: Promise<T>, ms: number, { lastsMs, ended }: Life): Promise<T> =>
  unlessCut(work, cut => {
    const timer = setTimeout(() => cut(lastsMs < ms ? ended() : tooSlow()), Math.min(ms, lastsMs))
    return () => clearTimeout(timer)
  })
