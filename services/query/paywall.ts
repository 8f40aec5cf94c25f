/** A paid path: the quote before the body is read, the answer after the payment. */
import canonicalize from 'canonicalize'
import type { z } from 'zod'
import { metrics } from '../../pipelines/metrics.ts'
import { whatIsWrong } from '../../schemas/dataset.ts'
import { Failure } from '../errors.ts'
import { type Operation, refuseFor, Serialised, type Tools } from '../operation.ts'
import type { Presented, Quote, Sold, Till } from '../till/till.ts'
import type { Callers } from './callers.ts'
import { bodyFailure, json } from './failures.ts'
import type { App, Reply, Request } from './server.ts'

/** Where the selling is done. */
export interface Counter {
  till: Till
  tools: Tools
  callers: Callers
}

const keyForm = /^[\x21-\x7e]{8,128}$/

export function sell(app: App, operation: Operation, { till, tools, callers }: Counter): void {
  const { name } = operation
  const refuse = refuseFor(operation)

  function quote(reply: Reply): Reply {
    metrics.quotes.inc({ operation: name })
    const quoted = till.quote(operation)
    return sendQuote(reply, quoted, quoted.unpaid)
  }

  function read(body: unknown): { question: z.output<z.ZodType>; text: string } {
    const asked = body === undefined ? {} : body
    const checked = operation.request.safeParse(asked)
    if (!checked.success) throw new Failure('invalid_request', whatIsWrong(checked.error))
    const text = canonical(asked)
    if (text === undefined) throw new Failure('invalid_request', 'A text holds half of a surrogate pair')
    return { question: checked.data, text }
  }

  async function answer(question: z.output<z.ZodType>): Promise<string> {
    const answered = await operation.answer(question, tools, refuse)
    return answered instanceof Serialised ? answered.json : JSON.stringify(answered)
  }

  async function replayed(request: Request): Promise<Sold | undefined> {
    const { key } = headersOf(request)
    const asked = request.body === undefined ? {} : request.body
    const text = canonical(asked)
    if (key === undefined || text === undefined || !operation.request.safeParse(asked).success)
      return undefined
    return till.replay(key, operation, text)
  }

  async function sold(request: Request, presented: Presented): Promise<Sold> {
    // Work that was paid for and not delivered is owed, however often it is asked for. All else counts before it costs.
    if (!till.owes(presented)) callers.admit(request.ip)
    const { question, text } = read(request.body)
    const payment = await till.check(presented, operation)
    return till.sell({
      product: operation,
      question: text,
      payment,
      idempotencyKey: headersOf(request).key,
      requestId: request.id,
      answer: () => answer(question),
    })
  }

  app.route({
    method: 'POST',
    url: operation.path,
    onRequest: (request, reply, done) => {
      request.operation = operation
      const { header, key } = headersOf(request)
      if (key !== undefined && !keyForm.test(key)) throw new Failure('invalid_idempotency_key')
      if (header !== undefined) request.payment = till.decode(header)
      else callers.admit(request.ip)
      if (header === undefined && key === undefined) quote(reply)
      else done()
    },
    errorHandler: (error, request, reply) => {
      // A body that cannot be read keeps no unpaid caller from the quote.
      if (request.payment === undefined && bodyFailure(error)) return quote(reply)
      throw error
    },
    handler: async (request, reply) => {
      const startedAt = performance.now()
      const { payment } = request
      const given = payment === undefined ? await replayed(request) : await sold(request, payment)
      if (!given) return quote(reply)
      metrics.calls.inc({ operation: name, status: 200 })
      if (given.replayed) metrics.replays.inc({ operation: name })
      metrics.callSeconds.observe({ operation: name }, (performance.now() - startedAt) / 1000)
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
    handler: async (request, reply) => {
      request.operation = operation
      callers.admit(request.ip)
      return quote(reply)
    },
  })
}

/** Every 402: the quote in its header, and mirrored in the body. */
export function sendQuote(
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
function canonical(asked: unknown): string | undefined {
  try {
    return canonicalize(asked)
  } catch {
    // The caller typed it.
    return undefined
  }
}
