/** The parts that all routes share: the server, the reading of bodies, the headers, and the answers to failures. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { readStrictJson } from '../../schemas/values/strict-json.ts'
import { Failure } from '../offer/errors.ts'
import { answerClientError, bodyOfError, type ErrorAnswer, failureOf, json, ofBody } from './call-failures.ts'
import { compressed, isLarge } from './compression.ts'
import { boundConnections, type ReaderPatience } from './connections.ts'
import { Early } from './early.ts'
import { Sockets } from './sockets.ts'
import { openVisits, type Visits } from './visits.ts'

export type { FastifyReply as Reply, FastifyRequest as Request } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    visits: Visits
    early: Early
    sockets: Sockets
  }
  interface FastifyContextConfig {
    /** The route takes its body as text. */
    isUnread?: boolean
  }
}

export type App = ReturnType<typeof createApp>

export interface AppOptions extends ReaderPatience {
  now: () => number
  trustProxy: boolean | number | string
  logger: FastifyBaseLogger
  /** Hears that the process stops, while the last answers are read. */
  stopping?: () => void
  /** Adds what is true of the payment to the error of a failed request. */
  truth?: (error: unknown, request: FastifyRequest) => Promise<unknown>
  /** A failure as a page, for a person who looks with a browser. Absent: this caller is a program. */
  forPeople?: ((failure: ErrorAnswer, request: FastifyRequest) => FailurePage | undefined) | undefined
}

export interface FailurePage {
  status: number
  headers: Record<string, string>
  body: string
}

const bodyLimit = 64 * 1024
/** From a request's first byte to its last. */
const requestTimeout = 30_000
/** The time between two looks for late requests. */
const checkMs = 5_000
const ofServer = { requestTimeout, connectionsCheckingInterval: checkMs, keepAliveTimeout: 72_000 }
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, ETag, PAYMENT-REQUIRED, PAYMENT-RESPONSE, WWW-Authenticate, Payment-Receipt, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy',
}

const createApp = ({ trustProxy, logger, truth }: Omit<AppOptions, 'now'>, early: Early) =>
  Fastify({
    serverFactory: framework => createServer(ofServer, early.before(framework)),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    // Fastify would run the handler of another method for HEAD, unpaid. A paid path has its own HEAD route.
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    // A logger for each request would take a tenth of the time of a 402, and requests are not logged.
    childLoggerFactory: logger => logger,
    clientErrorHandler: answerClientError,
    frameworkErrors: async (error, request, reply) => {
      const failure = failureOf((await truth?.(error, request as FastifyRequest)) ?? error)
      reply
        .code(failure.status as never)
        .type(json)
        .send(bodyOfError(failure) as never)
    },
  })

/** Opens a server without routes. */
export function openApp(options: AppOptions): App {
  const early = new Early({ trustsProxy: Boolean(options.trustProxy) })
  const app = createApp(options, early)
  const unmet = new WeakSet<IncomingMessage>()
  // Node would send 417 without a body. Here it is refused like any other request, with the truth about a payment beside it.
  app.server.on('checkExpectation', (request, response) => {
    unmet.add(request)
    app.server.emit('request', request, response)
  })
  const held = boundConnections(app.server, options)
  early.when(held.isCalm)
  app.decorate('early', early)
  const sockets = new Sockets(app.server)
  app.decorate('sockets', sockets)
  const visits = openVisits(options.now)
  app.decorate('visits', visits)
  app.addHook('preClose', () =>
    leave([() => early.stop(), () => sockets.shut(), options.stopping, held.part]),
  )
  app.addHook('onClose', () => sockets.ended())

  // Only JSON is read. Fastify would read text too.
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    // An absent body is undefined.
    async ({ routeOptions: { config } }: FastifyRequest, body: string) =>
      body === '' ? undefined : config.isUnread ? body : readStrictJson(body),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders)
    if (request.is404) visits.visit(request, reply)
    const crowded = held.crowded(request)
    if (crowded) return done(crowded)
    if (request.headers.expect === undefined || !unmet.has(request.raw)) return done()
    // The client may hold the body back, or send it all the same.
    reply.header('connection', 'close')
    done(new Failure('invalid_request', 'The only value of Expect that we accept is 100-continue'))
  })
  app.addHook('preParsing', (request, reply, body, done) => {
    done(held.body(request, reply), body)
  })
  app.addHook('onSend', (request, reply, body, done) => {
    if (!isLarge(body)) return done(null, body)
    if (reply.hasHeader('content-encoding')) {
      held.answer(body.length, request, reply)
      return done(null, body)
    }
    const vary = reply.getHeader('vary')
    reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding')
    compressed(body, request.headers['accept-encoding']).then(zipped => {
      if (zipped) reply.header('content-encoding', 'gzip')
      const sent = zipped ?? body
      held.answer(sent.length, request, reply)
      done(null, sent)
    }, done)
  })
  answerFailures(app, options)
  app.setNotFoundHandler(() => {
    throw new Failure('not_found')
  })
  return app
}

/** What a stop does is begun at once, and waited for. */
async function leave(parts: readonly ((() => void | Promise<void>) | undefined)[]): Promise<void> {
  await Promise.all(parts.map(part => part?.()))
}

function answerFailures(app: App, options: AppOptions): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = ofBody(thrown, request)
    const failure = failureOf((await options.truth?.(error, request)) ?? error)
    const { status, headers } = failure
    if (status === 500) logOurFault(request, error)
    const page = options.forPeople?.(failure, request)
    if (page)
      return reply
        .code(page.status)
        .headers({ ...besides(reply, headers), ...page.headers, vary: 'accept', 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .send(page.body)
    return reply
      .code(status)
      .headers({ ...besides(reply, headers), 'cache-control': 'no-store' })
      .type(json)
      .send(bodyOfError(failure))
  })
}

/** The headers of a failure. The standing under one rate stands beside the standing under another. */
export function besides(reply: FastifyReply, { ratelimit, ...headers }: Record<string, string>) {
  const standing = [reply.getHeader('ratelimit'), ratelimit].filter(text => text !== undefined)
  return standing.length ? { ...headers, ratelimit: standing.join(', ') } : headers
}

const logOurFault = ({ log, routeOptions, id }: FastifyRequest, error: unknown): void =>
  log.error({ path: routeOptions.url, request_id: id, err: error }, 'our fault')

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/** Answers OPTIONS with the methods of a path, and refuses other methods. */
export function refuseOtherMethods(app: App, url: string, own: string[]): void {
  const allow = [...own, 'OPTIONS'].join(', ')
  app.route({
    method: 'OPTIONS',
    url,
    onRequest: async (request, reply) => app.visits.visit(request, reply),
    handler: (_request, reply) =>
      reply
        .code(204)
        .headers({
          allow,
          'access-control-allow-methods': allow,
          'access-control-allow-headers':
            'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, Authorization, Accept-Payment, SIGN-IN-WITH-X, Idempotency-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Access-Control-Expose-Headers',
          'access-control-max-age': '86400',
        })
        .send(),
  })
  app.route({
    method: methods.filter(method => !own.includes(method)),
    url,
    // The method is refused before the body is read, so a bad body does not hide a wrong method.
    onRequest: async (request, reply) => {
      app.visits.visit(request, reply)
      throw new Failure('method_not_allowed', `${url} accepts ${allow}`, { allow })
    },
    handler: () => {},
  })
}
