/** One request and its whole answer over a pool, without the streams in between: these calls are half of a sale's work. */
import type { Dispatcher } from 'undici'
import type { Reply } from './facilitator-reply.ts'

export interface Ask {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
}

const replyLimitBytes = 256 * 1024
const failed = (code: string) => Object.assign(new Error(code), { code })

/** Rejects, with a code, when the whole answer is not here in time. */
export function exchange(pool: Dispatcher, ask: Ask, timeoutMs: number): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  let controller: Dispatcher.DispatchController | undefined
  let late: Error | undefined
  let status = 0
  let length = 0
  const chunks: Buffer[] = []

  function cut(error: Error): void {
    late = error
    controller?.abort(error)
    reject(error)
  }
  const timer = setTimeout(() => cut(failed('TIMEOUT')), timeoutMs)

  pool.dispatch(ask, {
    onRequestStart(started) {
      controller = started
      // It stood in line until its time was over: it need not begin.
      if (late) started.abort(late)
    },
    onResponseStart(_, statusCode) {
      status = statusCode
    },
    onResponseData(_, chunk) {
      length += chunk.length
      if (length > replyLimitBytes) cut(failed('TOO_LONG'))
      else chunks.push(chunk)
    },
    onResponseEnd() {
      clearTimeout(timer)
      resolve({ status, text: Buffer.concat(chunks).toString() })
    },
    onResponseError(_, error) {
      clearTimeout(timer)
      reject(error)
    },
  })
  return promise
}
