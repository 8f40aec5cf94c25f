/** One sale: reserve, verify, answer, write the intent down, settle, write the outcome down, and only then answer. */
import { instant } from '../../schemas/values.ts'
import { Failure, Refused } from '../errors.ts'
import type { Allowance } from './allowance.ts'
import { packed } from './answer-text.ts'
import type { Entry } from './book.ts'
import { leaseMs } from './claims.ts'
import type { Contact } from './contact.ts'
import type { Facilitator } from './facilitator.ts'
import { Holding, type HoldingParts } from './holding.ts'
import type { Checked } from './payment.ts'
import { given } from './receipt.ts'
import type { Recovery } from './recovery.ts'
import { fingerprintOf, isBearer, keysOf, type replays } from './replay.ts'
import { settling, unknown } from './settling.ts'
import { sha256 } from './sha256.ts'
import type { Sale, Sold } from './till.ts'

/** Where a crash is worth a test. */
export type Step = 'reserved' | 'verified' | 'answered' | 'intended' | 'settled' | 'recorded'

export interface SaleParts extends HoldingParts {
  facilitator: Facilitator
  contact: Contact
  recovery: Recovery
  allowance: Allowance
  replays: ReturnType<typeof replays>
  now: () => number
  limits: Limits
  step(step: Step): void
  onError(error: unknown): void
}

export interface Limits {
  /** Sales under way at once. */
  sales: number
  answerMs: number
  /** How long a caller may wait for the end of an unknown outcome. */
  unknownMs: number
}

/** What is left of an authorization when it is settled: facilitators ask for 6 s. */
const settleMarginMs = 8000
const tooLong = 'The answer took too long'

export function seller(parts: SaleParts) {
  const { ledger, facilitator, recovery, allowance, limits, now, step } = parts
  const { settle, resolve } = settling(parts)
  let underWay = 0

  async function sell(sale: Sale): Promise<Sold> {
    const held = new Holding(parts)
    let sold: Sold | undefined
    try {
      sold = await inTurn(sale, sale.payment as Checked, held)
      return sold
    } catch (error) {
      // A log that fails now says nothing of what was paid for before: "not charged" would be a lie.
      const isFree = (error as Failure).code === 'log_unavailable'
      throw isFree && ledger.book.owed(sale.payment.spendId) ? unknown() : error
    } finally {
      if (!sold) held.release({ spent: false })
    }
  }

  async function inTurn(sale: Sale, payment: Checked, held: Holding): Promise<Sold> {
    const { spendId } = payment
    const keys = keysOf(sale, payment)
    const deadline = performance.now() + Math.min(limits.unknownMs, leaseMs - 10_000)
    await held.take(spendId, 'payment_in_flight', () => ledger.book.of(spendId)?.delivered === true)
    step('reserved')
    const earlier = ledger.book.of(spendId)
    const owed = earlier && (await presentedAgain(earlier, sale, payment, keys, held, deadline))
    if (owed) return owed

    for (const key of keys) {
      await held.take(key, 'idempotency_conflict', () => parts.replays.kept(key) !== undefined)
      const kept = await boughtWith(key, sale, payment)
      if (kept) return handOver(kept, true, held)
    }
    return first(sale, payment, keys, held, deadline)
  }

  /** The same payment once more: what it bought and was not given, or a no that says where the money went. */
  async function presentedAgain(
    entry: Entry,
    sale: Sale,
    payment: Checked,
    keys: string[],
    held: Holding,
    deadline: number,
  ): Promise<Sold | undefined> {
    const same = entry.intent.fingerprint === fingerprintOf(sale, payment)
    if (entry.state === 'open') {
      await written(() => ledger.secure(entry))
      await (same ? resolve(entry, payment, deadline) : recovery.look(entry))
      if (entry.state === 'open') throw same ? unknown() : new Failure('payment_in_flight')
    }
    if (entry.state === 'failed') return undefined
    if (same && !entry.delivered) return handOver(entry, false, held)
    if (same && ledger.book.replayable(entry) && entry.intent.keys.some(key => keys.includes(key)))
      return handOver(entry, true, held)
    throw new Failure(
      'payment_already_used',
      `The payment has bought an answer already, with transaction ${entry.tx}; to be able to ask again, send an Idempotency-Key`,
    )
  }

  /** What the key has bought with another payment; this one is then left alone. */
  async function boughtWith(key: string, sale: Sale, payment: Checked): Promise<Entry | undefined> {
    const entry = ledger.book.ofKey(key)
    if (entry?.state === 'open') await recovery.look(entry)
    if (!entry || entry.state === 'failed' || (entry.state === 'settled' && !ledger.book.replayable(entry)))
      return undefined
    const theirs = isBearer(key, sale) || entry.intent.fingerprint === fingerprintOf(sale, payment)
    if (entry.state === 'open' || !theirs) throw new Failure('idempotency_conflict')
    return entry
  }

  async function first(
    sale: Sale,
    payment: Checked,
    keys: string[],
    held: Holding,
    deadline: number,
  ): Promise<Sold> {
    const { contact } = parts
    mustLast(payment)
    allowance.admit(payment.payer)
    if (contact.down) throw new Failure('facilitator_unavailable', contact.down, { 'Retry-After': '5' })
    if (underWay >= limits.sales) throw new Failure('busy', undefined, { 'Retry-After': '1' })
    underWay++
    try {
      await verify(payment)
      step('verified')
      const answer = await answered(sale, payment)
      step('answered')
      mustLast(payment)
      // What is settled late in the lease might be settled by another instance too.
      if (performance.now() > held.since + leaseMs / 2) throw new Failure('upstream_failed', tooLong)
      const entry = await intend(sale, payment, keys, answer)
      step('intended')
      await settle(entry, payment, deadline)
      return handOver(entry, false, held, answer)
    } finally {
      underWay--
    }
  }

  /** Nothing that is settled later than this is sure to be taken. */
  function mustLast({ expiresAt }: Checked): void {
    if (now() + settleMarginMs > expiresAt) throw new Failure('payment_expired')
  }

  async function verify(payment: Checked): Promise<void> {
    const { offer, request, payer, proven } = payment
    const verified = await facilitator.verify(request, { network: offer.network, payer })
    if (verified.outcome === 'valid') return
    if (verified.outcome === 'unavailable') {
      parts.aside(parts.contact.ask())
      throw new Failure('facilitator_unavailable', undefined, { 'Retry-After': '5' })
    }
    // Only who is sure to have signed can be counted: anybody may write another's address.
    if (proven) allowance.count(payer)
    throw new Failure(verified.code)
  }

  async function answered(sale: Sale, { payer, expiresAt }: Checked): Promise<string> {
    const slow = Promise.withResolvers<never>()
    const withinMs = Math.min(limits.answerMs, expiresAt - settleMarginMs - now())
    const timer = setTimeout(() => slow.reject(new Failure('upstream_failed', tooLong)), withinMs)
    try {
      return await Promise.race([sale.answer(), slow.promise])
    } catch (error) {
      // A refusal is free, but not without end.
      if (error instanceof Refused) allowance.count(payer)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async function intend(sale: Sale, payment: Checked, keys: string[], answer: string): Promise<Entry> {
    const { operation, question, requestId } = sale
    const intent = {
      intended_at: instant(now()),
      operation: operation.id,
      network: payment.network,
      price_usdc: operation.price,
      payer: payment.payer,
      pay_to: payment.offer.payTo,
      fingerprint: fingerprintOf(sale, payment),
      question_sha256: sha256(JSON.stringify([operation.path, question])),
      answer_sha256: sha256(answer),
      keys,
      dead_at: instant(payment.deadAt),
      answer: await packed(answer),
      trace: payment.trace,
    }
    return written(() => ledger.intend(payment.spendId, requestId, intent))
  }

  /** Nothing is settled whose intent is not in the log. */
  async function written<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      // A rail broke before anything was settled.
      parts.onError(error)
      throw new Failure('log_unavailable', undefined, { 'Retry-After': '5' })
    }
  }

  /** From here on the call is over; the payment is done once its answer is with the caller. */
  function handOver(entry: Entry, replayed: boolean, held: Holding, answer?: string): Promise<Sold> {
    // What was delivered before has nothing left to guard.
    if (entry.delivered) held.release({ spent: false })
    for (const key of entry.intent.keys) held.pass(key)
    const delivered = (whole: boolean) => {
      if (whole && !entry.delivered) ledger.deliver(entry)
      held.release({ spent: whole && answer !== undefined })
    }
    return given(entry, replayed, delivered, answer)
  }

  return sell
}
