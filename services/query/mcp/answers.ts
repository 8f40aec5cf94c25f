/** Answers the methods of MCP, whichever version of the protocol carries them. A request sells one thing. */
import { randomUUID } from 'node:crypto'
import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListToolsResult,
  McpError,
  type ReadResourceRequest,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'
import { errorBody, type Word } from '../../offer/errors.ts'
import { failureOf } from '../call-failures.ts'
import type { Request } from '../http.ts'
import { type Caller, callSold, type Selling } from './call.ts'
import { wordOf } from './charges.ts'
import { toolsFor } from './chosen.ts'
import { Room } from './exchange.ts'
import { inWords } from './protocol-errors.ts'
import { lengthOf } from './results.ts'
import type { Shown } from './shown.ts'

export interface McpMethods {
  'tools/list'(): ListToolsResult
  'tools/call'(params: CallToolRequest['params']): Promise<CallToolResult>
  'resources/list'(): ListResourcesResult
  'resources/read'(params: ReadResourceRequest['params']): Promise<ReadResourceResult>
  'prompts/list'(): ListPromptsResult
  'prompts/get'(params: GetPromptRequest['params']): GetPromptResult
}

interface Asked {
  shown: Shown
  caller: Caller
}

export const answering =
  (selling: Selling) =>
  (request: Request, { shown, caller }: Asked): McpMethods => {
    const room = new Room()
    const tools = toolsFor(shown, request.query)
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

    return {
      'tools/list'() {
        room.take(JSON.stringify(tools).length)
        return { tools }
      },
      'tools/call': params =>
        guarded(
          request,
          async () => {
            const result = await called(params)
            room.take(lengthOf(result), shown.sold.has(params.name))
            return result
          },
          () => wordOf({ params }, caller.name, selling.till),
        ),
      'resources/list': () => ({ resources: shown.resources }),
      'resources/read': ({ uri }) =>
        guarded(request, async () => {
          const read = shown.read.get(uri)
          if (!read) throw new McpError(ErrorCode.InvalidParams, `Unknown resource: ${uri}`)
          const found = await read()
          room.take(found.text.length)
          return { contents: [{ uri, ...found }] }
        }),
      'prompts/list': () => ({ prompts: shown.journeys.map(({ prompt }) => prompt) }),
      'prompts/get'({ name, arguments: given }) {
        const journey = shown.journeys.find(({ prompt }) => prompt.name === name)
        if (!journey) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${name}`)
        return journey.get(given)
      },
    }
  }

/** Each answer is made into one text with all others, so a request sells one. Nothing is verified for another. */
async function oneTooMany(params: object, caller: string, { till }: Selling): Promise<McpError> {
  const why = 'One request calls one tool that is sold: send this call alone'
  const charged = (await wordOf({ params }, caller, till)) ?? null
  return new McpError(ErrorCode.InvalidRequest, why, errorBody('invalid_request', why, charged))
}

/**
 * Hides the message of our own errors, because the SDK would send it. `charged` tells what is known of a payment beside a call that
 * no sale has looked at.
 */
async function guarded<T>(
  { log, routeOptions }: Request,
  work: () => Promise<T>,
  charged?: () => Promise<Word | undefined>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof McpError && (error.data !== undefined || !charged)) throw error
    const { code, message } =
      error instanceof McpError
        ? { code: 'invalid_request', message: inWords(error.message) }
        : failureOf(error)
    if (code === 'internal_error') log.error({ path: routeOptions.url, err: error }, 'our fault')
    const data = charged && errorBody(code, message, (await charged()) ?? null)
    throw new McpError(error instanceof McpError ? error.code : ErrorCode.InternalError, message, data)
  }
}
