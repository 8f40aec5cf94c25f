/** Turns every error into the part that the caller may know: a code, a status and a sentence. Nothing internal leaks. */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { NotConfigured, NotReady, UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { busyOf } from '../../pipelines/rails/outside/browser/browser-failures.ts'
import { UnfitJson } from '../../schemas/values/strict-json.ts'
import { type ErrorCode, errorBody, errors, Failure, Refused, type Word } from '../offer/errors.ts'

export const json = 'application/json; charset=utf-8'

export interface ErrorAnswer {
  code: string
  status: number
  message: string
  headers: Record<string, string>
  charged: Word
  /** More fields of the body, beside the error. */
  more?: object
}

/** An error that carries its answer. */
export class Told extends Error {
  override name = 'Told'
  readonly answer: ErrorAnswer

  constructor(answer: ErrorAnswer, cause: unknown) {
    super(answer.message, { cause })
    this.answer = answer
  }
}

const answer = (
  code: string,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): ErrorAnswer => ({
  code,
  status,
  message,
  headers,
  charged: false,
})
const answerWith = (code: ErrorCode, message: string = errors[code][1]) =>
  answer(code, errors[code][0], message)

/** The code of the error when a body ends too early. */
const cutOff = 'FAREBOX_CUT_OFF'

const ofFramework: Record<string, ErrorAnswer> = {
  FST_ERR_CTP_BODY_TOO_LARGE: answerWith('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: answerWith('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: answerWith(
    'invalid_request',
    'The length of the body is not the one in Content-Length',
  ),
  FST_ERR_CTP_INVALID_JSON_BODY: answerWith('invalid_request', 'The body is not valid JSON'),
  FST_ERR_BAD_URL: answerWith('not_found'),
  FST_ERR_MAX_PARAM_LENGTH: answerWith('not_found'),
  [cutOff]: answerWith('invalid_request', 'The body ended before its end'),
  FST_ERR_REQUEST_TIMEOUT: answerWith('invalid_request', 'The request was not complete in time'),
}

export function failureOf(error: unknown): ErrorAnswer {
  if (error instanceof Failure) return error
  if (error instanceof Told) return error.answer
  if (error instanceof Refused) return answer(error.code, error.status, error.message, error.headers)
  const busy = busyOf(error)
  if (busy) return answer('busy', 503, busy.message, { 'retry-after': String(busy.retryAfterSeconds) })
  if (error instanceof UpstreamFailed)
    return answer('upstream_failed', 502, error.told ?? errors.upstream_failed[1], { 'retry-after': '5' })
  if (error instanceof NotReady) return answer('not_ready', 503, error.message, { 'retry-after': '5' })
  if (error instanceof NotConfigured) return answerWith('not_configured', error.message)
  return bodyFailure(error) ?? answerWith('internal_error')
}

/** Finds the failure if the body could not be read. A caller who has not paid gets the quote all the same. */
export function bodyFailure(error: unknown): ErrorAnswer | undefined {
  if (error instanceof UnfitJson) return answerWith('invalid_request', error.message)
  if (error instanceof SyntaxError) return ofFramework.FST_ERR_CTP_INVALID_JSON_BODY
  const { code } = error as { code?: string }
  return code === undefined ? undefined : ofFramework[code]
}

/** A body that the caller breaks off or spoils is no fault of ours. */
export const ofBody = (error: unknown, { raw }: { raw: Readable }): unknown =>
  error instanceof Error && error === raw.errored ? Object.assign(error, { code: cutOff }) : error

const refusedByNode: Record<string, { line: string; answer: ErrorAnswer }> = {
  HPE_HEADER_OVERFLOW: {
    line: '431 Request Header Fields Too Large',
    answer: answerWith('headers_too_large'),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '400 Bad Request',
    answer: ofFramework.FST_ERR_REQUEST_TIMEOUT as ErrorAnswer,
  },
}
const notHttp = {
  line: '400 Bad Request',
  answer: answerWith('invalid_request', 'The request is not HTTP'),
}

/**
 * Answers bytes that Node refuses before there is a request: headers that are too large, bytes that are not HTTP, a request that
 * never ends. Nobody has read whether they hold a payment. A paid call may also be under way on the same connection, and its caller
 * takes this for its answer. So nobody can tell what was charged.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Browsers open connections ahead. They would take an answer for that of the question which they are just sending; after a plain
  // close they ask again.
  const hasAskedNothing = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
  if (error.code === 'ECONNRESET' || !socket.writable || hasAskedNothing) {
    socket.destroy()
    return
  }
  const { line, answer } = refusedByNode[error.code ?? ''] ?? notHttp
  const body = JSON.stringify(errorBody(answer.code, answer.message, null))
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

export const bodyOfError = ({ code, message, charged, more }: ErrorAnswer): string =>
  JSON.stringify({ ...errorBody(code, message, charged), ...more })
