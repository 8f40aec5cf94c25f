/** Registers an operation behind its price: an unpaid call gets the quote, a paid one the answer. */
import canonicalize from 'canonicalize'
import { metrics } from '../../pipelines/metrics.ts'
import { Failure } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { OpenOrigin } from '../origin.ts'
import { policyOf, refusalsAMinute } from '../rate.ts'
import type { Presented, Quote, Sold, Till } from '../till/till.ts'
import { type Answering, answerOf, bodyOf, questionOf } from './answering.ts'
import type { Callers } from './callers.ts'
import { bodyFailure, failureOf, json } from './failures.ts'
import { type App, besides, type Reply, type Request } from './http.ts'

/** What selling needs. */
export interface Counter extends Answering {
  till: Till
  callers: Callers
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The payment header, decoded before the body is read. */
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
  const policy = policyOf(callers.rate, { name: 'refusals', perMinute: refusalsAMinute })

  function admit(request: Request, reply: Reply): void {
    reply.header('ratelimit-policy', policy).header('ratelimit', callers.admit(request.ip))
  }

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

  async function sold(request: Request, reply: Reply, presented: Presented): Promise<Sold> {
    // An answer that we owe is sent without counting the call. Every other call is counted before any work.
    if (!till.owes(presented)) admit(request, reply)
    const sent = bodyOf(request)
    const question = questionOf(operation, sent)
    const text = canonical(sent)
    if (text === undefined)
      throw new Failure('invalid_request', 'A text in the body holds half of a surrogate pair')
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
    // A caller who has not paid gets the quote, even for a body that cannot be read.
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
      else admit(request, reply)
      if (header === undefined && key === undefined) quote(reply)
      else done()
    },
    errorHandler: fail,
    handler: async (request, reply) => {
      const startedAt = performance.now()
      const { payment } = request
      const answer = payment === undefined ? await replayed(request) : await sold(request, reply, payment)
      if (!answer) return quote(reply)
      metrics.calls.inc({ ...labels, status: 200 })
      if (answer.replayed) metrics.replays.inc(labels)
      metrics.callSeconds.observe(labels, (performance.now() - startedAt) / 1000)
      reportDelivery(reply, answer)
      return reply
        .type(json)
        .headers({ ...answer.headers, 'cache-control': 'private, no-store' })
        .send(answer.body)
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

/** Sends a 402 with the quote in its header and again in its body. */
function sendQuote(
  reply: Reply,
  quote: Quote,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Reply {
  return reply
    .code(402)
    .type(json)
    .headers({ ...besides(reply, headers), 'payment-required': quote.header, 'cache-control': 'no-store' })
    .send(body)
}

function headersOf({ headers }: Request): { header: string | undefined; key: string | undefined } {
  const header = headers['payment-signature']
  const key = headers['idempotency-key']
  return { header: header?.toString(), key: key?.toString() }
}

function reportDelivery(reply: Reply, sold: Sold): void {
  let reported = false
  const report = () => {
    if (reported) return
    reported = true
    sold.delivered(reply.raw.writableFinished)
  }
  // The caller may have hung up while the answer was made.
  if (reply.raw.destroyed) report()
  reply.raw.once('finish', report)
  reply.raw.once('close', report)
}

/** Undefined for text that is not Unicode: it has no canonical form. */
function canonical(sent: unknown): string | undefined {
  try {
    return canonicalize(sent)
  } catch {
    // The caller sent it, so this is not our fault.
    return undefined
  }
}
