/** MCP from 2026-07-28 on: no greeting, and each request says its version and what its client can do. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { isObject } from '../../till/header.ts'
import type { McpMethods } from './answers.ts'
import { jsonSchemaValidator, longestMs } from './exchange.ts'
import type { Shown } from './shown.ts'

interface Sent {
  /** One message. */
  message: unknown
  headers: Readonly<Record<string, string | string[] | undefined>>
}

interface Answering {
  methods: McpMethods
  shown: Shown
}

/** The headers that repeat what is in the message. They must be the same. */
const repeated = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
/** Lists change with a release only. */
const hour = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': hour,
  'tools/list': hour,
  'resources/list': hour,
  'prompts/list': hour,
}

const firstModern = '2026-07-28'
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const versionForm = /^\d{4}-\d{2}-\d{2}$/

/** Whether a message says its version itself, or its header names a version that wants it to. */
export function isModern({ message, headers }: Sent): boolean {
  if (!isObject(message)) return false
  const { _meta: meta } = isObject(message.params) ? message.params : {}
  if (isObject(meta) && Object.hasOwn(meta, versionKey)) return true
  const version = headers['mcp-protocol-version']?.toString() ?? ''
  return versionForm.test(version) && version >= firstModern
}

/** Serves all requests of this form. What a request needs is found by the request. */
export function openModern() {
  const underWay = new WeakMap<Request, Answering>()
  const { fetch: ask } = createMcpHandler(
    ({ requestInfo }) => serverFor(requestInfo && underWay.get(requestInfo)),
    { legacy: 'reject' },
  )

  return async (sent: Sent, answering: Answering): Promise<{ status: number; text: string }> => {
    if (wantsEvents(sent.message)) return noEvents(sent.message)
    const request = requestOf(sent)
    underWay.set(request, answering)
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('the answer was not there in time')), longestMs)
    try {
      const response = await Promise.race([ask(request, { parsedBody: sent.message }), late.promise])
      return { status: response.status, text: await response.text() }
    } finally {
      clearTimeout(timer)
    }
  }
}

function serverFor(answering: Answering | undefined): Server {
  if (!answering) throw new Error('a request was not told what it needs')
  const { methods, shown } = answering
  const server = new Server(shown.server, { ...shown.options, cacheHints, jsonSchemaValidator })
  server.setRequestHandler('tools/list', () => methods['tools/list']() as never)
  server.setRequestHandler('tools/call', ({ params }) => methods['tools/call'](params as never) as never)
  server.setRequestHandler('resources/list', () => methods['resources/list']() as never)
  server.setRequestHandler('resources/read', ({ params }) => methods['resources/read'](params) as never)
  server.setRequestHandler('prompts/list', () => methods['prompts/list']() as never)
  server.setRequestHandler('prompts/get', ({ params }) => methods['prompts/get'](params as never) as never)
  return server
}

/** A caller who hangs up ends no purchase, so the request has no signal. */
function requestOf({ headers }: Sent): Request {
  const own = repeated.flatMap(name => {
    const value = headers[name]?.toString()
    return value === undefined ? [] : [[name, value] as [string, string]]
  })
  return new Request('http://mcp/mcp', {
    method: 'POST',
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...own,
    ],
  })
}

const methodNotFound = -32_601
const wantsEvents = (message: unknown): message is { id?: unknown } =>
  (message as { method?: unknown } | null)?.method === 'subscriptions/listen'

/** Nothing that we list changes while we run, and we say so. A stream would stay open for nothing. */
const noEvents = ({ id }: { id?: unknown }) => ({
  status: 404,
  text: JSON.stringify({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: methodNotFound, message: 'Nothing here changes: there is nothing to listen to' },
  }),
})
