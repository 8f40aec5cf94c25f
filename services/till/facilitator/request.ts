/** Sends one request over a pool, and reads the whole answer. It uses no streams: these calls are half of a sale's work. */
import type { Dispatcher } from 'undici'
import type { Reply } from './reply.ts'

interface Request {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
}

const replyLimitBytes = 256 * 1024
export const failed = (code: string) => Object.assign(new Error(code), { code })

/** Rejects with a code if the whole answer does not arrive in time. */
export function send(pool: Dispatcher, request: Request, timeoutMs: number): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  let controller: Dispatcher.DispatchController | undefined
  let late: Error | undefined
  let status = 0
  let length = 0
  let retryAfterMs: number | undefined
  let extensions: string | undefined
  const chunks: Buffer[] = []

  function cut(error: Error): void {
    late = error
    controller?.abort(error)
    reject(error)
  }
  const timer = setTimeout(() => cut(failed('TIMEOUT')), timeoutMs)

  pool.dispatch(request, {
    onRequestStart(started) {
      controller = started
      // The time was over while the call waited in line, so the call does not start.
      if (late) started.abort(late)
    },
    onResponseStart(_, statusCode, headers) {
      status = statusCode
      retryAfterMs = secondsOf(headers['retry-after'])
      const said = headers['extension-responses']
      extensions = typeof said === 'string' ? said : undefined
    },
    onResponseData(_, chunk) {
      length += chunk.length
      if (length > replyLimitBytes) cut(failed('TOO_LONG'))
      else chunks.push(chunk)
    },
    onResponseEnd() {
      clearTimeout(timer)
      resolve({ status, text: Buffer.concat(chunks).toString(), retryAfterMs, extensions })
    },
    onResponseError(_, error) {
      clearTimeout(timer)
      reject(error)
    },
  })
  return promise
}

/** Reads seconds only. Few send a date, and for a date the usual pauses apply. */
const secondsOf = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined
