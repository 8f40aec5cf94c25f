/** One HTTP request on one connection. */
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { acceptEncoding } from './body.ts'
import { VisitFailed } from './visit-failures.ts'

export interface FetchAsked {
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  accept?: string
}

interface AskOptions {
  userAgent: string
  /** From the request to the last byte of the answer's headers. */
  firstByteMs: number
  signal: AbortSignal
}

/** Sellers send quotes in headers, and they are long. */
const maxHeaderSize = 64 << 10

export function ask(
  socket: Socket,
  { host, hostname, pathname, search }: URL,
  { method = 'GET', headers, body, accept = '*/*' }: FetchAsked,
  { userAgent, firstByteMs, signal }: AskOptions,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = request({
    createConnection: () => socket,
    method,
    path: pathname + search,
    setHost: false,
    headers: {
      host,
      'user-agent': userAgent,
      accept,
      'accept-encoding': acceptEncoding,
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    maxHeaderSize,
    signal,
  })
  const late = new VisitFailed('timeout', `${hostname} gives no answer within ${firstByteMs} ms`)
  const timer = setTimeout(() => outgoing.destroy(late), firstByteMs)
  outgoing.once('response', response => {
    if (response.statusCode === 101) reject(failureOf(new Error('it switches protocols'), hostname))
    else resolve(response)
  })
  // The listener stays, because the connection may still fail later. The reader of the body reports that failure.
  outgoing.on('error', error => reject(signal.aborted || error === late ? error : failureOf(error, hostname)))
  outgoing.end(body)
  return promise.finally(() => clearTimeout(timer))
}

function failureOf(error: NodeJS.ErrnoException, host: string): VisitFailed {
  const { code = error.message } = error
  if (code === 'HPE_HEADER_OVERFLOW')
    return new VisitFailed('too_large', `${host} sends more than ${maxHeaderSize} bytes of headers`)
  if (code.startsWith('HPE_'))
    return new VisitFailed('not_http', `${host} answers with something other than HTTP`)
  return new VisitFailed('connection', `${host} ended the connection: ${code}`, { cause: error })
}
