/** Registers an operation behind its price. An unpaid call gets the quote, a paid call gets the answer. */
import { metrics } from '../../pipelines/rails/metrics.ts'
import { Failure } from '../offer/errors.ts'
import type { Operation } from '../offer/operation.ts'
import type { OpenOrigin } from '../offer/origin.ts'
import { policyOf, refusalsAMinute } from '../offer/rate.ts'
import { withReason } from '../till/header.ts'
import { ofVersion1 } from '../till/payment-failures.ts'
import type { Presented, Quote, Sold } from '../till/till.ts'
import { bodyOf } from './answers.ts'
import { bodyFailure, failureOf, json, ofBody } from './call-failures.ts'
import { callerOf } from './callers.ts'
import { links } from './catalog/found.ts'
import { fieldsIn, listIn } from './chosen-fields.ts'
import { wayOf } from './door/door.ts'
import { challengeHeader, type EarlyAnswer, standingHeader, type ToldQuote } from './early.ts'
import { type App, besides, commonHeaders, type Reply, type Request } from './http.ts'
import { problem, problemType, receiptFor } from './mpp/exchange.ts'
import { decoded, type SentPayment, sentIn } from './mpp/sent.ts'
import { type Counter, checkKey, deliveryOf, replayOf, sale } from './purchase.ts'
import { wholeTruthOf } from './truth.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The payment from the header, decoded before the body is read. */
    payment: Presented | undefined
    idempotencyKey: string | undefined
  }
}

export function openPaywall(
  app: App,
  { name, url }: OpenOrigin,
  operation: Operation,
  counter: Counter,
  isAt: EarlyAnswer['isAt'],
): void {
  const labels = { origin: name, operation: operation.id }
  const admit = admission(counter)
  const { tell, quote, quoted, fail } = refusing(operation, counter, labels)
  app.early.open(operation.path, {
    ...{ isAt, tell, admit: caller => counter.callers.admitted(caller) },
    headersOf: told => earlyHeaders(told, policyFor(counter)),
    answered: (request, startedAt) => quoted(request, performance.now() - startedAt),
  })

  app.route({
    method: 'POST',
    url: operation.path,
    ...(operation.maxBodyBytes ? { bodyLimit: operation.maxBodyBytes } : {}),
    onRequest: (request, reply, done) => {
      const sent = sentIn(request.raw)
      const key = request.headers['idempotency-key']?.toString()
      request.payment = admit(request, reply, sent)
      checkKey(key)
      request.idempotencyKey = key
      // What it signed may have been paid before in version 2, and then its answer is owed.
      if (sent?.protocol === 'x402 of version 1' && request.payment && !counter.till.knows(request.payment))
        throw ofVersion1()
      if (sent === undefined && key === undefined) quote(reply)
      else done()
    },
    errorHandler: fail,
    handler: async (request, reply) => {
      const startedAt = performance.now()
      const resourceUrl = `${url}${operation.path}`
      const wanted = listIn(request.query)
      const isKnown = () => request.payment !== undefined && counter.till.knows(request.payment)
      const fields = wanted && fieldsIn(wanted, operation, isKnown())
      const called = { key: request.idempotencyKey, caller: callerOf(request) }
      const asked = { sent: bodyOf(request), ...called, resourceUrl, fields }
      const answer = request.payment
        ? await sale(operation, { ...asked, origin: name, ...paymentOf(request, request.payment) }, counter)
        : await replayOf(operation, asked, counter)
      if (!answer) return quote(reply)
      metrics.calls.inc({ ...labels, status: 200 })
      if (answer.replayed) metrics.replays.inc(labels)
      const tookMs = performance.now() - startedAt
      metrics.callSeconds.observe(labels, tookMs / 1000)
      const outcome = answer.replayed ? 'again' : 'paid'
      counter.door.count(labels, wayOf(request.raw, request.payment), { outcome, tookMs })
      return give(
        reply,
        answer,
        () => request.payment && receiptFor(request.payment, answer, counter.challenges),
      )
    },
  })

  app.route({
    method: 'HEAD',
    url: operation.path,
    errorHandler: fail,
    handler: async (request, reply) => {
      admit(request, reply)
      return quote(reply)
    },
  })
}

/** Answers with the quote, and with what ends a call. */
function refusing(operation: Operation, counter: Counter, labels: { origin: string; operation: string }) {
  /** `reason`: why a payment was refused. */
  function tell(reason?: string): ToldQuote {
    const unsigned = counter.till.quote(operation)
    const quote = counter.signer ? counter.signer.offered(unsigned) : unsigned
    return {
      quote: reason === undefined ? quote : { ...quote, header: withReason(quote.header, reason) },
      challenges: counter.challenges?.of(unsigned) ?? [],
    }
  }

  function quoted(request: Request['raw'], tookMs: number): void {
    metrics.quotes.inc(labels)
    counter.door.count(labels, wayOf(request, undefined), { outcome: 'quoted', tookMs })
  }

  function quote(reply: Reply): Reply {
    quoted(reply.request.raw, reply.elapsedTime)
    const told = tell()
    return sendQuote(reply, told, told.quote.unpaid)
  }

  async function fail(thrown: unknown, request: Request, reply: Reply): Promise<Reply> {
    const error = ofBody(thrown, request)
    // A caller who has not paid gets the quote, even for a body that cannot be read.
    if (request.payment === undefined && bodyFailure(error)) return quote(reply)
    const told = await wholeTruthOf(error, request.payment, callerOf(request), counter)
    const { code, status, message, headers } = failureOf(told)
    metrics.calls.inc({ ...labels, status })
    metrics.refusals.inc({ ...labels, code })
    const shape = counter.door.shapeOf(operation, request.body)
    const refusal = { code, status, tookMs: reply.elapsedTime, shape }
    counter.door.refuse(labels, wayOf(request.raw, request.payment), refusal)
    if (status !== 402) throw told
    const quoted = tell(request.payment && message)
    const body = quoted.quote.body(code, message)
    return request.payment?.credential
      ? sendQuote(reply, quoted, problem(body, error, { code, message }), headers, problemType)
      : sendQuote(reply, quoted, body, headers)
  }

  return { tell, quote, quoted, fail }
}

const policyFor = ({ callers }: Counter): string =>
  policyOf(callers.rate, { name: 'refusals', perMinute: refusalsAMinute })

/** Counts each call of a caller before any part of it is read, and decodes its payment. */
function admission(counter: Counter) {
  const { till, callers } = counter
  const policy = policyFor(counter)

  /** Above the limit only a payment for an owed answer is accepted. */
  function owedIn(sent: SentPayment, isOver: Failure): Presented {
    try {
      const presented = decoded(sent, till)
      if (till.owes(presented)) return presented
    } catch {
      // Strangers send anything here. The call is above the limit all the same.
    }
    throw isOver
  }

  return (request: Request, reply: Reply, sent?: SentPayment): Presented | undefined => {
    const caller = callerOf(request)
    reply.header('ratelimit-policy', policy)
    if (sent === undefined) {
      reply.header('ratelimit', callers.admit(caller))
      return undefined
    }
    const standing = callers.admitPayment(caller)
    if (standing instanceof Failure) return owedIn(sent, standing)
    reply.header('ratelimit', standing)
    return decoded(sent, till)
  }
}

const paymentOf = (request: Request, presented: Presented) => ({
  presented,
  requestId: request.id,
  caller: callerOf(request),
  proof: request.headers['sign-in-with-x']?.toString(),
  traceparent: request.headers.traceparent?.toString(),
})

/** Sends a paid answer, and tells the till whether it arrives. */
function give(reply: Reply, answer: Sold, receipt: () => object | undefined): Reply {
  deliveryOf(reply).add(answer)
  return reply
    .type(json)
    .headers({
      ...answer.headers,
      ...receipt(),
      'cache-control': 'private, no-store',
    })
    .send(answer.body)
}

/** Sends a 402 with the quote in its header and again in its body. */
function sendQuote(
  reply: Reply,
  { quote, challenges }: ToldQuote,
  body: string | Buffer,
  headers: Record<string, string> = {},
  type = json,
): Reply {
  if (challenges.length) reply.header(challengeHeader, challenges)
  return reply
    .code(402)
    .type(type)
    .headers({ ...besides(reply, headers), ...headersOf(quote) })
    .send(body)
}

const headersOf = ({ header }: Quote) => ({
  'payment-required': header,
  link: links,
  'cache-control': 'no-store',
})

/** The headers of a 402 to an unpaid call as the framework would write them, in its order. */
const earlyHeaders = ({ quote, challenges }: ToldQuote, policy: string): string[] =>
  Object.entries({
    ...commonHeaders,
    'ratelimit-policy': policy,
    [standingHeader]: '',
    ...(challenges.length && { [challengeHeader]: '' }),
    'content-type': json,
    ...headersOf(quote),
    'content-length': String(quote.unpaid.length),
  }).flat()
