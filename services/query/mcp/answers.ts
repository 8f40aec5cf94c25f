/** Answers the messages of one request with what a host shows. A request sells one thing. */
import { randomUUID } from 'node:crypto'
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { errorBody } from '../../offer/errors.ts'
import { failureOf } from '../call-failures.ts'
import type { Request } from '../http.ts'
import { type Caller, callSold, type Selling } from './call.ts'
import { wordOf } from './charges.ts'
import { exchange, lengthOf, Room } from './exchange.ts'
import type { Shown } from './shown.ts'
import { StrictServer } from './strict-server.ts'

interface Asked {
  messages: unknown
  shown: Shown
  caller: Caller
}

export function answering(selling: Selling) {
  return async (request: Request, { messages, shown, caller }: Asked) => {
    const server = new StrictServer(shown.server, shown.options)
    const room = new Room()
    let sale: Promise<CallToolResult> | undefined

    async function called({ name, ...params }: CallToolRequest['params']): Promise<CallToolResult> {
      const sold = shown.sold.get(name)
      if (sold && sale) {
        // It may have the same payment.
        await sale.catch(() => {})
        throw await oneTooMany({ name, ...params }, caller.name, selling)
      }
      if (sold) {
        sale = callSold(sold, params, { ...caller, requestId: randomUUID() }, selling)
        return sale
      }
      const free = shown.free.get(name)
      if (free) return free(params.arguments ?? {}, caller)
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`)
    }

    server.setRequestHandler(ListToolsRequestSchema, () => {
      room.take(shown.toolsLength)
      return { tools: shown.tools }
    })
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: shown.resources }))
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
      guarded(request, async () => {
        const read = shown.read.get(params.uri)
        if (!read) throw new McpError(ErrorCode.InvalidParams, `Unknown resource: ${params.uri}`)
        const found = await read()
        room.take(found.text.length)
        return { contents: [{ uri: params.uri, ...found }] }
      }),
    )
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      guarded(request, async () => {
        const result = await called(params)
        room.take(lengthOf(result), shown.sold.has(params.name))
        return result
      }),
    )
    const version = request.headers['mcp-protocol-version']?.toString()
    return exchange(server, { messages, version })
  }
}

/** Each answer is made into one text with all others, so a request sells one. Nothing is verified for another. */
async function oneTooMany(params: object, caller: string, { till }: Selling): Promise<McpError> {
  const why = 'One request calls one tool that is sold: send this call alone'
  const charged = (await wordOf({ params }, caller, till)) ?? null
  return new McpError(ErrorCode.InvalidRequest, why, errorBody('invalid_request', why, charged))
}

/** Hides the message of our own errors, because the SDK would send it. */
async function guarded<T>({ log, routeOptions }: Request, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof McpError) throw error
    const { code, message } = failureOf(error)
    if (code === 'internal_error') log.error({ path: routeOptions.url, err: error }, 'our fault')
    throw new McpError(ErrorCode.InternalError, message)
  }
}
