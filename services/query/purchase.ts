/** A paid call from any entrance: counted, checked and sold at the till. */

import canonicalize from 'canonicalize'
import { metrics } from '../../pipelines/rails/metrics.ts'
import { forSale } from '../../pipelines/rails/outside/calls.ts'
import { beginSpan, traced } from '../../pipelines/rails/tracing/tracing.ts'
import { Failure } from '../offer/errors.ts'
import type { Operation } from '../offer/operation.ts'
import type { Payment, Presented, Sold, Till } from '../till/till.ts'
import { type Answering, answerOf, questionOf, readKindly } from './answers.ts'
import type { Callers } from './callers.ts'
import { type ChosenFields, narrowed } from './chosen-fields.ts'
import type { Door } from './door/door.ts'
import type { Reply } from './http.ts'
import type { Challenges } from './mpp/challenges.ts'
import { checkCredential } from './mpp/exchange.ts'
import type { Signer } from './signing/signer.ts'

/** The tools of a sale. */
export interface Counter extends Answering {
  till: Till
  callers: Callers
  door: Door
  /** Absent if receipts are not signed. */
  signer?: Signer | undefined
  /** Absent if MPP is not offered. */
  challenges?: Challenges | undefined
}

interface Asked {
  /** The address of the operation. */
  resourceUrl: string
  /** The question as it was sent, not yet checked. */
  sent: unknown
  key: string | undefined
  /** The caller's name from `callerOf`. */
  caller: string
  /** The part of the answer that is delivered. */
  fields?: ChosenFields
}

interface Paid extends Asked {
  /** The name of the origin that sells it. */
  origin: string
  presented: Presented
  requestId: string
  /** The message that the payer's wallet signed to get an answer again. */
  proof: string | undefined
  /** The caller's trace in W3C's form. */
  traceparent?: string | undefined
}

const keyForm = /^[\x21-\x7e]{8,128}$/

export function checkKey(key: string | undefined): void {
  if (key !== undefined && !keyForm.test(key)) throw new Failure('invalid_idempotency_key')
}

/** Finds the answer that this key has received before. */
export async function replayOf(
  operation: Operation,
  { sent, key, caller, resourceUrl, fields }: Asked,
  { till, signer }: Counter,
): Promise<Sold | undefined> {
  if (key === undefined || !readKindly(operation.request, sent).success) return undefined
  const text = canonical(sent)
  if (text === undefined) return undefined
  const whole = await till.replay(key, operation, text, caller)
  const sold = whole && narrowed(whole, fields)
  return sold && signer ? signer.receipted(sold, { resourceUrl, question: sent }) : sold
}

/** One trace for each paid call. It ends when the payer has the last byte. */
export function sale(operation: Operation, paid: Paid, counter: Counter): Promise<Sold> {
  const attributes = { 'farebox.operation': operation.id, 'farebox.request_id': paid.requestId }
  const sold = { origin: paid.origin, operation: operation.id }
  return traced(`POST ${operation.path}`, () => forSale(sold, () => soldAtTill(operation, paid, counter)), {
    kind: 'server',
    attributes,
    from: paid.traceparent,
  })
}

async function soldAtTill(operation: Operation, paid: Paid, counter: Counter): Promise<Sold> {
  const { presented, sent, resourceUrl, fields } = paid
  const { till, signer } = counter
  // An owed answer comes first: today's price, clock and schema do not apply to an earlier sale.
  const owed = till.knows(presented) ? await soldBefore(operation, paid, counter) : undefined
  const sold = narrowed(owed ?? (await soldNow(operation, paid, counter)), fields)
  return responding(signer ? await signer.receipted(sold, { resourceUrl, question: sent }) : sold)
}

function soldBefore(operation: Operation, paid: Paid, counter: Counter): Promise<Sold | undefined> {
  const { sent, presented, proof, caller } = paid
  const { till, callers, ...answering } = counter
  const renderings = callers.failedRenderings.of(caller, caller)
  return till.again({
    ...askingOf(operation, paid),
    question: canonical(sent),
    presented,
    proof,
    answer: async verified =>
      answerOf(operation, questionOf(operation, sent), { ...answering, renderings, verified }),
  })
}

async function soldNow(operation: Operation, paid: Paid, counter: Counter): Promise<Sold> {
  const { sent, presented, caller } = paid
  const { till, callers, ...answering } = counter
  const question = questionOf(operation, sent)
  const text = canonical(sent)
  if (text === undefined)
    throw new Failure('invalid_request', 'A text in the body holds half of a surrogate pair')
  checkCredential(presented, counter.challenges)
  const payment = await traced('check', () => till.check(presented, operation))
  return inFlight(() =>
    till.sell({
      ...askingOf(operation, paid),
      question: text,
      payment,
      answer: verified => {
        const bounds = boundsOf(payment, caller, { callers, verified })
        return traced('answer', () => answerOf(operation, question, { ...answering, ...bounds, caller }))
      },
    }),
  )
}

/** Anybody can write another payer's address. So free work counts against a payer only once he is known to have signed. */
function boundsOf(
  { payer, proven }: Payment,
  caller: string,
  { callers, verified }: Pick<Counter, 'callers'> & { verified(): Promise<void> },
) {
  const [ofBoth, ofCaller] = [callers.failedRenderings.of(payer, caller), callers.failedRenderings.of(caller)]
  let isPayer = proven
  return {
    renderings: { admit: ofBoth.admit, count: () => (isPayer ? ofBoth : ofCaller).count() },
    verified: async () => {
      await verified()
      isPayer = true
    },
  }
}

const askingOf = (product: Operation, { key, caller, requestId }: Paid) => ({
  product,
  idempotencyKey: key,
  caller,
  requestId,
})

/** The last part of the trace: the answer is on its way. */
function responding(sold: Sold): Sold {
  const span = beginSpan('respond')
  if (!span) return sold
  return {
    ...sold,
    delivered: whole => {
      span.end(whole ? undefined : new Failure('payment_unknown'))
      sold.delivered(whole)
    },
  }
}

/** Counts the calls in flight. An autoscaler reads how many each instance has. */
async function inFlight<T>(call: () => Promise<T>): Promise<T> {
  metrics.callsInFlight.inc()
  try {
    return await call()
  } finally {
    metrics.callsInFlight.dec()
  }
}

export interface SaleDelivery {
  add(sold: Sold): void
}

/**
 * Tells the till whether the answers reached the payer. It also does so if the caller hung up during the work, or if an
 * error replaced the answer. Without a report the payment would stay held for ever.
 */
export function deliveryOf({ raw }: Reply): SaleDelivery {
  const sold: Sold[] = []
  let isOver = false
  const report = () => {
    isOver = true
    for (const { delivered } of sold.splice(0)) delivered(raw.writableFinished && raw.statusCode === 200)
  }
  raw.once('finish', report)
  raw.once('close', report)
  return {
    add(one) {
      if (isOver || raw.destroyed) one.delivered(false)
      else sold.push(one)
    },
  }
}

/** Returns undefined for text that is not Unicode, because it has no canonical form. */
function canonical(sent: unknown): string | undefined {
  try {
    return canonicalize(sent)
  } catch {
    // The caller sent such text, so this is not our fault.
    return undefined
  }
}
