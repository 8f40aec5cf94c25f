/** The HTTP surface: pages are free, operations stand behind the paywall, everything else is a clear no. */
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { metrics } from '../../pipelines/metrics.ts'
import { errorBody, Failure } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { Page } from '../origin.ts'
import type { Presented } from '../till/till.ts'
import { compressed, isLarge } from './compression.ts'
import { answerClientError, answerExpectation, failureOf, json } from './failures.ts'
import { type Counter, sell, sendQuote } from './paywall.ts'

export type { FastifyReply as Reply, FastifyRequest as Request } from 'fastify'
export type App = ReturnType<typeof createApp>

export interface ServerOptions {
  pages: readonly Page[]
  /** What is sold, and how; absent where this process has no query role. */
  counter?: Counter | undefined
  operations: readonly Operation[]
  trustProxy: boolean | number | string
  logger: FastifyBaseLogger
}

declare module 'fastify' {
  interface FastifyRequest {
    operation: Operation | undefined
    /** The payment header, decoded before the body was read. */
    payment: Presented | undefined
  }
}

const bodyLimit = 64 * 1024
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Idempotent-Replayed, Retry-After',
}

function createApp({ trustProxy, logger }: Pick<ServerOptions, 'trustProxy' | 'logger'>) {
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    // HEAD on a paid path is a route of its own: one made from another verb would run its handler unpaid.
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    genReqId: () => randomUUID(),
    // No logger of its own for each request: next to nothing is logged, and making one costs a tenth of a 402.
    childLoggerFactory: logger => logger,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => {
      const { status, code, message } = failureOf(error)
      reply
        .code(status as never)
        .type(json)
        .send(JSON.stringify(errorBody(code, message)) as never)
    },
  })
}

export function buildServer({ pages, counter, operations, ...options }: ServerOptions): App {
  const app = createApp(options)
  app.server.on('checkExpectation', answerExpectation)
  app.decorateRequest('operation', undefined)
  app.decorateRequest('payment', undefined)

  // A question is JSON; any other type, text too, is 415.
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, body as string, done),
  )
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(corsHeaders)
    done()
  })
  app.addHook('onSend', (request, reply, body, done) => {
    if (!isLarge(body)) return done(null, body)
    reply.header('vary', 'accept-encoding')
    compressed(body, request.headers['accept-encoding']).then(zipped => {
      if (zipped) reply.header('content-encoding', 'gzip')
      done(null, zipped ?? body)
    }, done)
  })
  app.setErrorHandler((error, request, reply) => {
    const { code, status, message, headers, charged } = failureOf(error)
    if (status === 500) request.log.error({ err: error }, 'our fault')
    if (request.operation) {
      metrics.calls.inc({ operation: request.operation.name, status })
      metrics.refusals.inc({ operation: request.operation.name, code })
      if (status === 402 && counter) {
        const quote = counter.till.quote(request.operation)
        return sendQuote(reply, quote, quote.body(code, message), headers)
      }
    }
    return reply
      .code(status)
      .headers({ ...headers, 'cache-control': 'no-store' })
      .type(json)
      .send(JSON.stringify(errorBody(code, message, charged)))
  })
  app.setNotFoundHandler(() => {
    throw new Failure('not_found')
  })

  for (const page of pages) {
    app.route({
      method: ['GET', 'HEAD'],
      url: page.path,
      handler: async (request, reply) => {
        const { status = 200, type, body } = await page.answer({ accept: request.headers.accept ?? '' })
        return reply.code(status).header('cache-control', 'no-cache').type(type).send(body)
      },
    })
    refuseOtherVerbs(app, page.path, ['GET', 'HEAD'])
  }
  if (counter)
    for (const operation of operations) {
      sell(app, operation, counter)
      refuseOtherVerbs(app, operation.path, ['POST', 'HEAD'])
    }
  return app
}

const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

function refuseOtherVerbs(app: App, url: string, known: string[]): void {
  const allow = [...known, 'OPTIONS'].join(', ')
  app.route({
    method: 'OPTIONS',
    url,
    handler: (_request, reply) =>
      reply
        .code(204)
        .headers({
          allow,
          'access-control-allow-methods': allow,
          'access-control-allow-headers':
            'Content-Type, PAYMENT-SIGNATURE, Idempotency-Key, Access-Control-Expose-Headers',
          'access-control-max-age': '86400',
        })
        .send(),
  })
  app.route({
    method: verbs.filter(verb => !known.includes(verb)),
    url,
    // Before the body is read: whatever it holds, the verb is wrong.
    onRequest: async () => {
      throw new Failure('method_not_allowed', `${url} knows ${allow}`, { allow })
    },
    handler: () => {},
  })
}
