/** `POST /mcp`: streamable HTTP without sessions, of both eras. Each request is complete, so any instance can answer it. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { errorBody, Failure, unreadBody, type Word } from '../../offer/errors.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { failureOf, ofBody } from '../call-failures.ts'
import { callerOf } from '../callers.ts'
import { familyOf } from '../door/client-family.ts'
import { nothingNamed, type Way } from '../door/door.ts'
import type { Hosts } from '../hosts.ts'
import { type App, besides, type Reply, type Request, refuseOtherMethods } from '../http.ts'
import { deliveryOf } from '../purchase.ts'
import { presentedIn } from '../truth.ts'
import { admissionTo } from './admission.ts'
import { answering } from './answers.ts'
import { type Caller, type Selling, wayBy } from './call.ts'
import { wordOf } from './charges.ts'
import { answeredWithGreeting } from './legacy.ts'
import { isModern, openModern } from './modern.ts'
import { withCharges } from './protocol-errors.ts'
import { type McpOptions, type Shown, shownAt } from './shown.ts'
import { strayRefusal } from './strays.ts'
import { mayAsk } from './web-origins.ts'

export const mcpPath = '/mcp'

/** The limit of a message: a question of 64 KB with its payment, escaped twice. */
const bodyLimit = 128 * 1024
/** From this version of the protocol on, a request is one message. */
const withoutBatches = '2025-06-18'

export function openMcp(app: App, hosts: Hosts, options: McpOptions): void {
  const { selling } = options
  const shown = new WeakMap<readonly OpenOrigin[], Shown>()
  const at = (request: Request): Shown => {
    const origins = hosts.at(request.hostname)
    const known = shown.get(origins) ?? shownAt(origins, options)
    shown.set(origins, known)
    return known
  }

  const admission = admissionTo(selling)
  const methodsOf = answering(selling)
  const modern = openModern()
  const refusePage = pageRefusal(hosts, options)

  app.route({
    method: 'POST',
    url: mcpPath,
    bodyLimit,
    onRequest: async (request, reply) => {
      await admission.begin(request)
      return refusePage(request, reply)
    },
    errorHandler: async (error, request, reply) => {
      const charged = await wordBeside(request, selling)
      const { code, message, status, headers } = failureOf(
        admission.turnedAway(request) ?? ofBody(error, request),
      )
      if (status === 500) request.log.error({ path: mcpPath, err: error }, 'our fault')
      selling.door.refuse(nothingNamed, unnamedWay(request), { code, status, tookMs: reply.elapsedTime })
      return reply
        .code(status)
        .headers({ ...besides(reply, headers), 'cache-control': 'no-store' })
        .type('application/json')
        .send(asJsonRpc(code, message, charged))
    },
    handler: async (request, reply) => {
      admission.end(request, at(request).sold)
      const stray = strayRefusal(request.body, request.raw)
      if (stray) throw new Failure('invalid_request', stray)
      const body = requestsIn(request.body, request.headers['mcp-protocol-version']?.toString())
      for (let more = Array.isArray(body) ? body.length : 0; more > 1; more--)
        selling.callers.admit(callerOf(request))
      if (body === undefined) return reply.code(202).send()
      const caller: Caller = {
        name: callerOf(request),
        requestId: request.id,
        client: familyOf(request.headers['user-agent']),
        traceparent: request.headers.traceparent?.toString(),
        bought: deliveryOf(reply),
      }
      const { headers } = request
      const shown = at(request)
      const methods = methodsOf(request, { shown, caller })
      const { status, text } = isModern({ message: body, headers })
        ? await modern({ message: body, headers }, { methods, shown })
        : await answeredWithGreeting(methods, shown, {
            messages: body,
            version: headers['mcp-protocol-version']?.toString(),
          })
      const told = await withCharges(text, body, of => wordOf(of, caller.name, selling.till))
      return reply
        .code(status)
        .headers({ 'content-type': 'application/json', 'cache-control': 'private, no-store' })
        .send(told)
    },
  })
  refuseOtherMethods(app, mcpPath, ['POST'])
}

const unnamedWay = ({ headers }: Request): Way =>
  wayBy('mcp', { client: familyOf(headers['user-agent']) }, undefined)

/** What is known of every payment in the body and in the headers of HTTP. Null where they differ. */
async function wordBeside(request: Request, { till }: Selling): Promise<Word | undefined> {
  const inBody = await wordOf(request.body, callerOf(request), till)
  const sent = presentedIn(request.raw, till)
  if (sent === undefined || inBody === undefined) return inBody
  const inHeader = sent && (await till.recalled(sent, callerOf(request)))
  if (inBody === false) return inHeader
  return inHeader === false ? inBody : null
}

/** Refuses pages that may not ask, with the status that the specification asks for. */
function pageRefusal(hosts: Hosts, { url }: McpOptions) {
  const own = new Set([...hosts.names, ...(url ? [new URL(url).hostname] : [])])
  const why = asJsonRpc('forbidden', 'This web page may not ask here: see its header Origin', undefined)
  return ({ headers: { origin, host } }: Request, reply: Reply): Reply | undefined =>
    mayAsk({ origin, host, own })
      ? undefined
      : reply.code(403).header('cache-control', 'no-store').type('application/json').send(why)
}

/** The code for a refusal that has nothing to do with the form of the request: above the rate, while stopping, or the like. */
const turnedAway = -32_000

/**
 * Writes a failure that comes before any message is answered, as JSON-RPC and as HTTP. `charged` is undefined if the body was not
 * read: then nobody knows which payments are in it.
 */
function asJsonRpc(code: string, message: string, charged: Word | undefined): string {
  const codes: Partial<Record<string, number>> = {
    invalid_request: charged === undefined ? ErrorCode.ParseError : ErrorCode.InvalidRequest,
    unsupported_media_type: ErrorCode.InvalidRequest,
    body_too_large: ErrorCode.InvalidRequest,
    internal_error: ErrorCode.InternalError,
  }
  const data = charged === undefined ? unreadBody(code, message) : errorBody(code, message, charged)
  const error = { code: codes[code] ?? turnedAway, message: data.message, data }
  return JSON.stringify({ jsonrpc: '2.0', id: null, error })
}

/**
 * Returns the requests to answer, or undefined if there are none. A notification needs nothing: its request is another one, and a
 * payment under way cannot be called back.
 */
function requestsIn(body: unknown, version: string | undefined): unknown {
  if (!Array.isArray(body)) return isNotification(body) ? undefined : body
  if (version !== undefined && version >= withoutBatches)
    throw new Failure('invalid_request', `A batch is not part of MCP ${version}: send one message`)
  const requests = body.filter(message => !isNotification(message))
  const ids = requests.map(message => JSON.stringify((message as { id?: unknown } | null)?.id))
  if (new Set(ids).size < ids.length) throw new Failure('invalid_request', 'Two requests have one id')
  if (!body.length) throw new Failure('invalid_request', 'The batch is empty')
  return requests.length ? requests : undefined
}

const isNotification = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && !('id' in message) && 'method' in message
