/** Whatever went wrong, as the caller is told: code, status, a sentence, never anything from inside. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { NotReady, UpstreamFailed } from '../../pipelines/failures.ts'
import { type ErrorCode, errorBody, errors, Failure, Refused } from '../errors.ts'

export const json = 'application/json; charset=utf-8'

export interface Told {
  code: string
  status: number
  message: string
  headers: Record<string, string>
  charged: false | null
}

const told = (code: string, status: number, message: string, headers: Record<string, string> = {}): Told => ({
  code,
  status,
  message,
  headers,
  charged: false,
})
const toldAs = (code: ErrorCode, message: string = errors[code][1]) => told(code, errors[code][0], message)

const ofFramework: Record<string, Told> = {
  FST_ERR_CTP_BODY_TOO_LARGE: toldAs('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: toldAs('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: toldAs(
    'invalid_request',
    'The body is not as long as Content-Length says',
  ),
  FST_ERR_CTP_INVALID_JSON_BODY: toldAs('invalid_request', 'The body is not valid JSON'),
  FST_ERR_BAD_URL: toldAs('not_found'),
  FST_ERR_MAX_PARAM_LENGTH: toldAs('not_found'),
  FST_ERR_REQUEST_TIMEOUT: toldAs('invalid_request', 'The request did not arrive whole in time'),
}

export function failureOf(error: unknown): Told {
  if (error instanceof Failure) return error
  if (error instanceof Refused) return told(error.code, error.status, error.message)
  if (error instanceof UpstreamFailed)
    return told('upstream_failed', 502, errors.upstream_failed[1], { 'retry-after': '5' })
  if (error instanceof NotReady) return told('not_ready', 503, error.message, { 'retry-after': '5' })
  return bodyFailure(error) ?? toldAs('internal_error')
}

/** The failures of reading a body: an unpaid caller gets the quote all the same. */
export function bodyFailure(error: unknown): Told | undefined {
  if (error instanceof SyntaxError) return ofFramework.FST_ERR_CTP_INVALID_JSON_BODY
  const { code } = error as { code?: string }
  return code === undefined ? undefined : ofFramework[code]
}

/** What Node refuses before there is a request: headers beyond the limit, and bytes that are not HTTP. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const overflow = error.code === 'HPE_HEADER_OVERFLOW'
  const { status, code, message } = overflow
    ? toldAs('headers_too_large')
    : toldAs('invalid_request', 'The request is not HTTP')
  const body = JSON.stringify(errorBody(code, message))
  socket.end(
    `HTTP/1.1 ${status} ${overflow ? 'Request Header Fields Too Large' : 'Bad Request'}\r\nContent-Type: ${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Node would say 417 to an Expect that it does not know, and nothing else. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, code, message } = toldAs('invalid_request', 'Expect can only be 100-continue')
  const body = JSON.stringify(errorBody(code, message))
  response
    .writeHead(status, {
      'content-type': json,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body)
}
