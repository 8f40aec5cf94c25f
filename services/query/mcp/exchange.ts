/**
 * The messages of one request go into the server of the SDK, and one text comes out, or an error: never nothing. The SDK
 * itself waits for ever where an answer cannot be sent.
 */
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import type { StrictServer } from './strict-server.ts'

/** The validator checks answers to questions from us, and we ask clients nothing. To build one takes most of a call. */
export const jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('clients are asked for nothing')
  },
}

/** The longest sale takes less. */
export const longestMs = 180_000
/** The length of all answers of a request together, in characters: they become one text at once. */
const answersLimit = 4 * 1024 * 1024

export interface Messages {
  /** One message, or the messages of a batch. */
  messages: unknown
  /** The header with the version of the protocol. */
  version: string | undefined
}

export async function exchange(
  server: StrictServer,
  { messages, version }: Messages,
  mostMs = longestMs,
): Promise<{ status: number; text: string }> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const send = transport.send.bind(transport)
  transport.send = (...sent) =>
    send(...sent).catch(error => {
      reject(error)
      throw error
    })
  const timer = setTimeout(() => reject(new Error('the answers of a request were not there in time')), mostMs)
  try {
    await server.connect(transport as Parameters<StrictServer['connect']>[0])
    const url = 'http://mcp/mcp'
    const request = new Request(url, { method: 'POST', headers: headersFor(version) })
    const response = await Promise.race([transport.handleRequest(request, { parsedBody: messages }), failed])
    return { status: response.status, text: await response.text() }
  } finally {
    clearTimeout(timer)
    await server.close()
  }
}

function headersFor(version: string | undefined): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    // There is one form of answer, whatever a client says that it takes.
    accept: 'application/json, text/event-stream',
  })
  if (version !== undefined) headers.set('mcp-protocol-version', version)
  return headers
}

/** The room for the answers of one request. The first has no bound here, nor has one that is paid. */
export class Room {
  #taken = 0

  /** Throws where the answers would be too long together. */
  take(length: number, isPaid = false): void {
    if (!isPaid && this.#taken > 0 && this.#taken + length > answersLimit)
      throw new McpError(
        ErrorCode.InvalidRequest,
        'The answers of this batch are too long: ask for this alone',
      )
    this.#taken += length
  }
}
