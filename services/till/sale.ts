/** One sale: reserve, verify, answer, write the intent, settle, write the outcome, and only then hand the answer over. */
import { instant } from '../../schemas/values.ts'
import { Failure, Refused } from '../errors.ts'
import type { Availability } from './facilitator/availability.ts'
import { answerUnread, facilitatorUnavailable, logUnavailable, unknownOutcome } from './failures.ts'
import { leaseMs } from './ledger/claims.ts'
import type { Purchase } from './ledger/purchases.ts'
import { soldWith } from './receipt.ts'
import { type ConclusionParts, concluding } from './sale/conclusion.ts'
import { fingerprintOf, isBearer, keysOf, type replays } from './sale/replay.ts'
import { Reservation, type ReservationParts } from './sale/reservation.ts'
import { sha256 } from './sha256.ts'
import type { Payment, Sale, Sold } from './till.ts'

/** The steps of a sale. A test may crash the process at each of them. */
export type Step = 'reserved' | 'verified' | 'answered' | 'intended' | 'settled' | 'recorded'

export interface SaleParts extends ReservationParts, Omit<ConclusionParts, 'step'> {
  availability: Availability
  replays: ReturnType<typeof replays>
  now: () => number
  limits: Limits
  step(step: Step): void
}

export interface Limits {
  /** Sales under way at once. */
  sales: number
  answerMs: number
  /** How long a caller may wait for the end of an unknown outcome. */
  unknownMs: number
}

/** A facilitator asks for 6 s of an authorization's life when it settles. */
const settleMarginMs = 8000
const tooLong = 'The answer took too long'

/** What one call carries through its sale. */
interface Call {
  sale: Sale
  keys: string[]
  reservation: Reservation
  /** Of this process's monotonic clock: the caller hears something by then. */
  deadline: number
}

export function seller(parts: SaleParts) {
  const { ledger, facilitator, recovery, allowance, limits, now, step } = parts
  const { purchases } = ledger
  const { conclude, concludeAgain } = concluding(parts)
  let underWay = 0

  async function sell(sale: Sale): Promise<Sold> {
    const reservation = new Reservation(parts)
    const deadline = performance.now() + Math.min(limits.unknownMs, leaseMs - 10_000)
    let sold: Sold | undefined
    try {
      sold = await reserved({ sale, keys: keysOf(sale), reservation, deadline })
      return sold
    } catch (error) {
      // A log that fails now says nothing about a payment that was taken before: "not charged" would be a lie.
      const isFree = (error as Failure).code === 'log_unavailable'
      throw isFree && purchases.owed(sale.payment.spendId) ? unknownOutcome() : error
    } finally {
      if (!sold) reservation.release({ spent: false })
    }
  }

  async function reserved(call: Call): Promise<Sold> {
    const { sale, keys, reservation } = call
    const { spendId } = sale.payment
    await reservation.take(spendId, 'payment_in_flight', () => purchases.of(spendId)?.delivered === true)
    step('reserved')
    const earlier = purchases.of(spendId)
    const owed = earlier && (await presentedAgain(earlier, call))
    if (owed) return owed

    for (const key of keys) {
      await reservation.take(key, 'idempotency_conflict', () => parts.replays.kept(key) !== undefined)
      const kept = await boughtWith(key, sale)
      if (kept) return handOver(kept, call, { replayed: true })
    }
    return firstTime(call)
  }

  /** The same payment again. It is given what it bought and did not get, or a no that says where the money went. */
  async function presentedAgain(purchase: Purchase, call: Call): Promise<Sold | undefined> {
    const { sale, keys, deadline } = call
    const same = purchase.intent.fingerprint === fingerprintOf(sale)
    if (purchase.state === 'open') {
      await written(() => ledger.secureIntent(purchase))
      await (same ? concludeAgain(purchase, sale.payment, deadline) : recovery.look(purchase))
      if (purchase.state === 'open') throw same ? unknownOutcome() : new Failure('payment_in_flight')
    }
    if (purchase.state === 'failed') return undefined
    if (same && !purchase.delivered) return handOver(purchase, call, { replayed: false })
    if (same && purchases.replayable(purchase) && purchase.intent.keys.some(key => keys.includes(key)))
      return handOver(purchase, call, { replayed: true })
    throw new Failure(
      'payment_already_used',
      `The payment has bought an answer already, with transaction ${purchase.tx}; to be able to ask again, send an Idempotency-Key`,
    )
  }

  /** What the key has bought with another payment. The payment of this sale is then not used. */
  async function boughtWith(key: string, sale: Sale): Promise<Purchase | undefined> {
    const purchase = purchases.ofKey(key)
    if (purchase?.state === 'open') await recovery.look(purchase)
    if (!purchase || purchase.state === 'failed') return undefined
    if (purchase.state === 'settled' && !purchases.replayable(purchase)) return undefined
    const theirs = isBearer(key, sale) || purchase.intent.fingerprint === fingerprintOf(sale)
    if (purchase.state === 'open' || !theirs) throw new Failure('idempotency_conflict')
    return purchase
  }

  async function firstTime(call: Call): Promise<Sold> {
    const { sale, keys, reservation, deadline } = call
    const { payment } = sale
    const { down } = parts.availability
    mustLast(payment)
    allowance.admit(payment.payer)
    if (down) throw facilitatorUnavailable(down)
    if (underWay >= limits.sales) throw new Failure('busy', undefined, { 'Retry-After': '1' })
    underWay++
    try {
      await verify(payment)
      step('verified')
      const answer = await answered(sale, payment.expiresAt - settleMarginMs - now())
      const packed = await written(() => ledger.answers.pack(answer))
      step('answered')
      mustLast(payment)
      // Late in the lease another instance might settle it too.
      if (performance.now() > reservation.since + leaseMs / 2) throw new Failure('upstream_failed', tooLong)
      const purchase = await intend(sale, keys, answer, packed)
      step('intended')
      await conclude(purchase, payment, deadline)
      return handOver(purchase, call, { replayed: false, answer })
    } finally {
      underWay--
    }
  }

  /** A facilitator may refuse what it is asked to settle later than this. */
  function mustLast({ expiresAt }: Payment): void {
    if (now() + settleMarginMs > expiresAt) throw new Failure('payment_expired')
  }

  async function verify({ offer, request, payer, proven }: Payment): Promise<void> {
    const reply = await facilitator.verify(request, { network: offer.network, payer })
    if (reply.outcome === 'valid') return
    if (reply.outcome === 'unavailable') {
      parts.aside(parts.availability.ask())
      throw facilitatorUnavailable()
    }
    // Only a proven payer is counted, because anybody may write another's address.
    throw new Failure(reply.code, undefined, proven ? allowance.count(payer) : {})
  }

  async function answered(sale: Sale, withinMs = limits.answerMs): Promise<string> {
    const { payer } = sale.payment
    const slow = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => slow.reject(new Failure('upstream_failed', tooLong)),
      Math.min(limits.answerMs, withinMs),
    )
    try {
      return await Promise.race([sale.answer(), slow.promise])
    } catch (error) {
      // A refusal is free, but one that cost a request to an upstream is not without end.
      if (error instanceof Refused && error.asks) error.headers = allowance.count(payer, error.asks)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async function intend(sale: Sale, keys: string[], answer: string, packed: string): Promise<Purchase> {
    const { product, question, requestId, payment } = sale
    const intent = {
      intended_at: instant(now()),
      origin: payment.origin,
      operation: product.id,
      network: payment.network,
      price_usdc: product.price,
      payer: payment.payer,
      pay_to: payment.offer.payTo,
      fingerprint: fingerprintOf(sale),
      question_sha256: sha256(JSON.stringify([product.path, question])),
      answer_sha256: sha256(answer),
      keys,
      dead_at: instant(payment.deadAt),
      answer: packed,
      trace: payment.trace,
    }
    return written(() => ledger.recordIntent(payment.spendId, requestId, intent))
  }

  /** Nothing is settled whose intent and answer are not kept. */
  async function written<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      // A rail broke before anything was settled: the call is free and may come again.
      parts.onError(error)
      throw logUnavailable()
    }
  }

  /** What was paid for is owed even where the store has lost it for good: then the answer is made again. */
  async function boughtAnswer(purchase: Purchase, sale: Sale): Promise<string> {
    const kept = await ledger.readAnswer(purchase)
    if (kept !== undefined) return kept
    const answer = await answered(sale).catch(error => {
      parts.onError(error)
      throw answerUnread()
    })
    purchases.keepAnswer(purchase, answer, instant(now()))
    return answer
  }

  /** The call ends here. Its purchase is done when the answer is with the payer. */
  async function handOver(
    purchase: Purchase,
    { sale, reservation }: Call,
    { replayed, answer }: { replayed: boolean; answer?: string },
  ): Promise<Sold> {
    const text = answer ?? (await boughtAnswer(purchase, sale))
    // An answer that was delivered before leaves nothing to guard.
    if (purchase.delivered) reservation.release({ spent: false })
    for (const key of purchase.intent.keys) reservation.pass(key)
    const delivered = (whole: boolean) => {
      if (whole && !purchase.delivered) ledger.recordDelivered(purchase)
      reservation.release({ spent: whole && answer !== undefined })
    }
    return soldWith(purchase, text, { replayed, delivered })
  }

  return sell
}
