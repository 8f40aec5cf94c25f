/** A paid path: the quote before the body is read, the answer after the payment. */
import canonicalize from 'canonicalize'
import { metrics } from '../../pipelines/metrics.ts'
import { Failure } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { OpenOrigin } from '../origin.ts'
import type { Presented, Quote, Sold, Till } from '../till/till.ts'
import { type Answering, answerOf, bodyOf, questionOf } from './answering.ts'
import type { Callers } from './callers.ts'
import { bodyFailure, failureOf, json } from './failures.ts'
import type { App, Reply, Request } from './http.ts'

/** Where the selling is done. */
export interface Counter extends Answering {
  till: Till
  callers: Callers
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The payment header, decoded before the body was read. */
    payment: Presented | undefined
  }
}

const keyForm = /^[\x21-\x7e]{8,128}$/

export function sell(
  app: App,
  { name }: OpenOrigin,
  operation: Operation,
  { till, callers, ...answering }: Counter,
): void {
  const labels = { origin: name, operation: operation.id }

  function quote(reply: Reply): Reply {
    metrics.quotes.inc(labels)
    const quoted = till.quote(operation)
    return sendQuote(reply, quoted, quoted.unpaid)
  }

  async function replayed(request: Request): Promise<Sold | undefined> {
    const { key } = headersOf(request)
    const sent = bodyOf(request)
    const text = canonical(sent)
    if (key === undefined || text === undefined || !operation.request.safeParse(sent).success)
      return undefined
    return till.replay(key, operation, text)
  }

  async function sold(request: Request, presented: Presented): Promise<Sold> {
    // Work that was paid for and not delivered is owed, however often it is asked for. All else counts before it costs.
    if (!till.owes(presented)) callers.admit(request.ip)
    const sent = bodyOf(request)
    const question = questionOf(operation, sent)
    const text = canonical(sent)
    if (text === undefined) throw new Failure('invalid_request', 'A text holds half of a surrogate pair')
    const payment = await till.check(presented, operation)
    return till.sell({
      product: operation,
      question: text,
      payment,
      idempotencyKey: headersOf(request).key,
      requestId: request.id,
      answer: () => answerOf(operation, question, answering),
    })
  }

  function fail(error: unknown, request: Request, reply: Reply): Reply {
    // A body that cannot be read keeps no unpaid caller from the quote.
    if (request.payment === undefined && bodyFailure(error)) return quote(reply)
    const { code, status, message, headers } = failureOf(error)
    metrics.calls.inc({ ...labels, status })
    metrics.refusals.inc({ ...labels, code })
    if (status !== 402) throw error
    const quoted = till.quote(operation)
    return sendQuote(reply, quoted, quoted.body(code, message), headers)
  }

  app.route({
    method: 'POST',
    url: operation.path,
    onRequest: (request, reply, done) => {
      const { header, key } = headersOf(request)
      if (key !== undefined && !keyForm.test(key)) throw new Failure('invalid_idempotency_key')
      if (header !== undefined) request.payment = till.decode(header)
      else callers.admit(request.ip)
      if (header === undefined && key === undefined) quote(reply)
      else done()
    },
    errorHandler: fail,
    handler: async (request, reply) => {
      const startedAt = performance.now()
      const { payment } = request
      const given = payment === undefined ? await replayed(request) : await sold(request, payment)
      if (!given) return quote(reply)
      metrics.calls.inc({ ...labels, status: 200 })
      if (given.replayed) metrics.replays.inc(labels)
      metrics.callSeconds.observe(labels, (performance.now() - startedAt) / 1000)
      tellDelivered(reply, given)
      return reply
        .type(json)
        .headers({ ...given.headers, 'cache-control': 'private, no-store' })
        .send(given.body)
    },
  })

  app.route({
    method: 'HEAD',
    url: operation.path,
    errorHandler: fail,
    handler: async (request, reply) => {
      callers.admit(request.ip)
      return quote(reply)
    },
  })
}

/** Every 402: the quote in its header, and mirrored in the body. */
function sendQuote(
  reply: Reply,
  quote: Quote,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Reply {
  return reply
    .code(402)
    .type(json)
    .headers({ ...headers, 'payment-required': quote.header, 'cache-control': 'no-store' })
    .send(body)
}

function headersOf({ headers }: Request): { header: string | undefined; key: string | undefined } {
  const header = headers['payment-signature']
  const key = headers['idempotency-key']
  return { header: header?.toString(), key: key?.toString() }
}

function tellDelivered(reply: Reply, sold: Sold): void {
  let told = false
  const tell = () => {
    if (told) return
    told = true
    sold.delivered(reply.raw.writableFinished)
  }
  // Who hung up while the answer was made has closed already.
  if (reply.raw.destroyed) tell()
  reply.raw.once('finish', tell)
  reply.raw.once('close', tell)
}

/** undefined: it holds text that is not Unicode, which has no canonical form. */
function canonical(sent: unknown): string | undefined {
  try {
    return canonicalize(sent)
  } catch {
    // The caller typed it.
    return undefined
  }
}
