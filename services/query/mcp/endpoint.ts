/** `POST /mcp`: streamable HTTP without sessions. Each request is complete, so any instance can answer it. */
import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { errorBody, Failure, unreadBody, type Word } from '../../offer/errors.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { callerOf } from '../callers.ts'
import { failureOf } from '../failures.ts'
import type { Hosts } from '../hosts.ts'
import { type App, besides, type Request, refuseOtherMethods } from '../http.ts'
import { reportDelivery } from '../sale.ts'
import { admissionTo } from './admission.ts'
import { type Caller, callSold } from './call.ts'
import { wordOf } from './charges.ts'
import { type McpOptions, type Shown, shownAt } from './shown.ts'
import { StrictServer } from './strict-server.ts'

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

  app.route({
    method: 'POST',
    url: mcpPath,
    bodyLimit,
    onRequest: admission.begin,
    errorHandler: async (error, request, reply) => {
      const charged = await wordOf(request.body, callerOf(request), selling.till)
      const { code, message, status, headers } = failureOf(error)
      if (status === 500) request.log.error({ path: mcpPath, err: error }, 'our fault')
      return reply
        .code(status)
        .headers({ ...besides(reply, headers), 'cache-control': 'no-store' })
        .type('application/json')
        .send(asJsonRpc(code, message, charged))
    },
    handler: async (request, reply) => {
      admission.end(request, at(request).sold)
      const body = requestsIn(request.body, request.headers['mcp-protocol-version']?.toString())
      for (let more = Array.isArray(body) ? body.length : 0; more > 1; more--)
        selling.callers.admit(callerOf(request))
      if (body === undefined) return reply.code(202).send()
      const traceparent = request.headers.traceparent?.toString()
      const caller: Caller = { name: callerOf(request), requestId: request.id, traceparent, bought: [] }
      const response = await answer(request, body, at(request), caller)
      reportDelivery(reply, caller.bought)
      return reply
        .code(response.status)
        .headers({ 'content-type': 'application/json', 'cache-control': 'private, no-store' })
        .send(await response.text())
    },
  })
  refuseOtherMethods(app, mcpPath, ['POST'])

  async function answer(request: Request, parsedBody: unknown, shown: Shown, caller: Caller) {
    const server = new StrictServer(shown.server, shown.options)
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: shown.tools }))
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: shown.resources }))
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
      guarded(request, async () => {
        const read = shown.read.get(params.uri)
        if (!read) throw new McpError(ErrorCode.InvalidParams, `Unknown resource: ${params.uri}`)
        return { contents: [{ uri: params.uri, ...(await read()) }] }
      }),
    )
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      guarded(request, async () => {
        const { name } = params
        const sold = shown.sold.get(name)
        if (sold) return callSold(sold, params, { ...caller, requestId: randomUUID() }, selling)
        const free = shown.free.get(name)
        if (free) return free(params.arguments ?? {}, caller)
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`)
      }),
    )
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport as Parameters<StrictServer['connect']>[0])
    const headers = new Headers({
      'content-type': 'application/json',
      // Only one form of answer exists, so the client's Accept does not count.
      accept: 'application/json, text/event-stream',
    })
    const version = request.headers['mcp-protocol-version']
    if (version !== undefined) headers.set('mcp-protocol-version', String(version))
    const url = `http://${mcpPath.slice(1)}${mcpPath}`
    try {
      return await transport.handleRequest(new Request(url, { method: 'POST', headers }), { parsedBody })
    } finally {
      await server.close()
    }
  }
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

/** Hides the message of our own errors, because the SDK would send it. */
async function guarded<T>({ log }: Request, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof McpError) throw error
    const { code, message } = failureOf(error)
    if (code === 'internal_error') log.error({ path: mcpPath, err: error }, 'our fault')
    throw new McpError(ErrorCode.InternalError, message)
  }
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
