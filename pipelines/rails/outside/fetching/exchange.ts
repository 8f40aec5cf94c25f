/** One request over a pool of connections, and its whole answer. It uses no streams and no Response: they take several times as long. */
import type { IncomingHttpHeaders } from 'node:http'
import { Agent, type Dispatcher } from 'undici'
import { Gathered } from './gathered.ts'

export type Pools = Dispatcher

export interface Exchanged {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

interface ExchangeBounds {
  /** A longer answer rejects with TOO_LONG. */
  mostBytes: number
  /** A later answer rejects with TIMEOUT. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Whether the body is wanted. Without it the answer is there once its headers are. */
  wants?: (status: number) => boolean
}

/** What is not wanted is read as far as this, and for so long, so that its connection can be used again. */
const mostUnread = 64 * 1024
const mostUnreadMs = 1_000
const leastFinal = 200
/** Hints before an answer. Each is work, and there is no end of them. */
const mostHints = 16
/** So is each piece of it, however small: so many are free, and more in answers whose pieces have some bytes. */
const freePieces = 64 * 1024
const leastPiece = 16
/** Beyond so many they are joined: a piece of one byte would keep the memory of a buffer. */
const mostLoose = 64

/** Pools that stay open while they are used. They end by themselves. */
export const openConnections = (): Pools => new Agent()

/** The values of a header that comes several times stand one after the other. */
export function headerOf({ headers }: Exchanged, name: string): string | undefined {
  const said = headers[name]
  return Array.isArray(said) ? said.join(', ') : said
}

export const failed = (code: string) => Object.assign(new Error(code), { code })

class Pieces {
  length = 0
  #count = 0
  readonly #loose: Buffer[] = []
  readonly #joined = new Gathered()

  count({ length }: Buffer): void {
    this.length += length
    this.#count += 1
  }

  get areTooMany(): boolean {
    return this.#count > freePieces + this.length / leastPiece
  }

  keep(piece: Buffer): void {
    if (this.#loose.length < mostLoose) this.#loose.push(piece)
    else this.#joined.add(piece)
  }

  whole(): Buffer {
    return Buffer.concat(this.#joined.size ? [...this.#loose, this.#joined.bytes()] : this.#loose)
  }
}

/** Rejects with a code if the whole answer does not arrive in time. */
export function exchange(
  pool: Pools,
  request: Dispatcher.DispatchOptions,
  { mostBytes, timeoutMs, signal, wants }: ExchangeBounds,
): Promise<Exchanged> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  const { promise, resolve, reject } = Promise.withResolvers<Exchanged>()
  let controller: Dispatcher.DispatchController | undefined
  let late: Error | undefined
  let answer: Exchanged | undefined
  let isWanted = true
  let hints = 0
  const pieces = new Pieces()

  function cut(error: Error): void {
    late = error
    controller?.abort(error)
    over()
    reject(error)
  }
  const aborted = () => cut(signal?.reason)
  let timer = timeoutMs === undefined ? undefined : setTimeout(() => cut(failed('TIMEOUT')), timeoutMs)
  signal?.addEventListener('abort', aborted)
  function over(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }

  pool.dispatch(request, {
    onRequestStart(started) {
      controller = started
      // The time was over while the call waited in line, so the call does not start.
      if (late) started.abort(late)
    },
    onResponseStart(_, status, headers) {
      // Hints come before the answer.
      if (status < leastFinal) {
        hints += 1
        if (hints > mostHints) cut(failed('TOO_MANY_HINTS'))
        return
      }
      answer = { status, headers, bytes: Buffer.alloc(0) }
      if (wants?.(status) !== false) return
      isWanted = false
      clearTimeout(timer)
      // Nobody waits for it any more, so nobody else would end it.
      timer = setTimeout(() => cut(failed('TIMEOUT')), mostUnreadMs)
      resolve(answer)
    },
    onResponseData(_, chunk) {
      pieces.count(chunk)
      if (pieces.length > (isWanted ? mostBytes : mostUnread)) cut(failed('TOO_LONG'))
      else if (pieces.areTooMany) cut(failed('TOO_MANY_PIECES'))
      else if (isWanted) pieces.keep(chunk)
    },
    onResponseEnd() {
      over()
      if (answer) resolve({ ...answer, bytes: pieces.whole() })
    },
    onResponseError(_, error) {
      over()
      reject(error)
    },
  })
  return promise
}
