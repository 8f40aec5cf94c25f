/** Builds the server: pages, free routes, and operations behind the paywall. Everything else gets a clear error. */
import { createHash } from 'node:crypto'
import { Failure } from '../offer/errors.ts'
import type { OpenOrigin, ServedPage } from '../offer/origin.ts'
import type { Tariff } from '../offer/tariff.ts'
import type { ErrorAnswer } from './call-failures.ts'
import { callerOf } from './callers.ts'
import { links } from './catalog/found.ts'
import { missedPage, pageOfOperation } from './catalog/missed-page.ts'
import { PackedPages } from './compression.ts'
import { pageHeaders } from './face/layout.ts'
import { give, methodsOf } from './free.ts'
import { Hosts } from './hosts.ts'
import {
  type App,
  type AppOptions,
  type FailurePage,
  openApp,
  type Request,
  refuseOtherMethods,
} from './http.ts'
import { openMcp } from './mcp/endpoint.ts'
import type { McpOptions } from './mcp/shown.ts'
import { openPaywall } from './paywall.ts'
import type { Counter } from './purchase.ts'
import { presentedIn, truthOf, wholeTruthOf } from './truth.ts'
import { longBytes } from './visits.ts'

export type { App } from './http.ts'

export interface ServerOptions extends AppOptions {
  /** The origins that this process sells. */
  origins: readonly OpenOrigin[]
  /** Prices that may change. Absent: those of the code stay. */
  prices?: Tariff | undefined
  /** Pages that every host shows. */
  pages: readonly ServedPage[]
  /** Absent in a process without the query role, which sells nothing. */
  counter?: Counter | undefined
  /** Whom people write to. Present: their browsers get failures as pages. */
  contact?: string
  /** The same operations as tools. */
  mcp?: McpOptions | undefined
}

export function buildServer({
  origins,
  prices,
  pages,
  counter,
  mcp,
  contact,
  ...options
}: ServerOptions): App {
  const app = openApp({
    ...options,
    forPeople: (failure, request) =>
      contact === undefined ? undefined : failurePage(failure, request, hosts.at(request.hostname), contact),
    ...(counter && {
      stopping: () => counter.till.stop(),
      // If the route has decoded the payment, it has already added the truth about it.
      truth: async (error, request) => {
        if (request.payment !== undefined) return error
        const presented = presentedIn(request.raw, counter.till)
        if (presented === null) return truthOf(error, null, false)
        return wholeTruthOf(error, presented, callerOf(request), counter)
      },
    }),
  })
  app.decorateRequest('payment', undefined)
  app.decorateRequest('idempotencyKey', undefined)
  const hosts = new Hosts(prices?.shown(origins) ?? origins)
  prices?.listen(() => hosts.show(prices.shown(origins)))
  const packed = new PackedPages()
  for (const page of pages) show(app, page, { hosts, packed })
  if (mcp) openMcp(app, hosts, mcp)
  if (counter)
    for (const origin of origins)
      app.register(async room => open(room as App, origin, { hosts, packed }, counter))
  return app
}

/** Opens an origin at its own host. At another origin's host its paths are 404. */
function open(room: App, origin: OpenOrigin, showing: Showing, counter: Counter): void {
  const { hosts } = showing
  const isAt = (hostname: string) =>
    hosts.areShared || hosts.at(hostname).some(({ name }) => name === origin.name)
  // A hook makes a 402 a tenth slower, so it exists only if the origins have several hosts.
  if (!hosts.areShared)
    room.addHook('onRequest', async (request, reply) => {
      if (isAt(request.hostname)) return
      room.visits.visit(request, reply)
      throw new Failure('not_found')
    })
  for (const { path, answer } of origin.pages)
    show(room, { path, answer: request => answer(request, counter.tools) }, showing)
  for (const route of origin.free) {
    give(room, origin, route, counter)
    refuseOtherMethods(room, route.path, methodsOf(route))
  }
  for (const operation of origin.operations) {
    openPaywall(room, origin, operation, counter, hosts.areShared ? undefined : isAt)
    refuseOtherMethods(room, operation.path, ['POST', 'HEAD'])
  }
}

/** If a name is given twice, the last value counts. */
const oneOfEach = (query: Record<string, string | string[]>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]))

/** A percent sign that encodes nothing makes an unknown path. */
function pathOf(url: string): string {
  try {
    return decodeURI(url.split(/[?#]/)[0] ?? '')
  } catch {
    throw new Failure('not_found')
  }
}

/** A person opens an address with a browser. Whoever sends a payment is a program. */
function failurePage(
  { code, status, message }: ErrorAnswer,
  { method, url, headers }: Request,
  origins: readonly OpenOrigin[],
  contact: string,
): FailurePage | undefined {
  const looks = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html')
  if (!looks || headers['payment-signature'] !== undefined || headers.authorization !== undefined)
    return undefined
  const path = url.split('?')[0] ?? ''
  const location = code === 'method_not_allowed' ? pageOfOperation(path, origins) : undefined
  if (location !== undefined) return { status: 303, headers: { location }, body: '' }
  return { status, headers: pageHeaders, body: missedPage({ path, code, status, message, origins, contact }) }
}

interface Showing {
  hosts: Hosts
  packed: PackedPages
}

function show(app: App, page: ServedPage, { hosts, packed }: Showing): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: page.path,
    onRequest: async (request, reply) => app.visits[page.isProbe ? 'probe' : 'visit'](request, reply),
    handler: async (request, reply) => {
      const {
        status = 200,
        type,
        body,
        headers = {},
      } = await page.answer({
        accept: request.headers.accept ?? '',
        path: pathOf(request.url),
        query: oneOfEach(request.query as Record<string, string | string[]>),
        origins: hosts.at(request.hostname),
      })
      const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
      reply.headers({ link: links, 'cache-control': 'no-cache', ...headers, etag, vary: 'accept' })
      const known = request.headers['if-none-match']?.split(',').map(each => each.trim())
      if (status === 200 && known?.includes(etag)) return reply.code(304).send()
      if (body.length > longBytes) app.visits.long(request, reply)
      reply.code(status).type(type)
      const sent = await packed.of(body, etag, request.headers['accept-encoding']?.toString())
      if (!sent) return reply.send(body)
      return reply
        .headers({ vary: 'accept, accept-encoding', 'content-encoding': sent.encoding })
        .send(sent.body)
    },
  })
  refuseOtherMethods(app, page.path, ['GET', 'HEAD'])
}
