/** Speaks the DevTools protocol with a browser over two pipes. Each message is JSON, ended by a zero byte. */
import type { Readable, Writable } from 'node:stream'

type Params = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: the protocol describes its answers, and we read few of their fields
type Answer = any

export interface Session {
  /** Rejects with the browser's own message, or with BrowserGone if the browser ends first. */
  send(method: string, params?: Params): Promise<Answer>
  /** Listens to the events of this session. */
  on(method: string, hear: (params: Answer) => void): void
}

export interface Cdp extends Session {
  session(id: string): Session
  /** Forgets the listeners of a session that has ended. */
  forget(id: string): void
}

export class BrowserGone extends Error {
  override name = 'BrowserGone'
}

/** The requested data is longer than a message may be. */
export class MessageTooLong extends Error {
  override name = 'MessageTooLong'
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * The limit fits the longest data that we request: a document of 8 MB, in base64. A message is read at once, which
 * takes up to 50 ms. Of a longer one only the beginning is kept, and its page does without it.
 */
const mostBytes = 12 << 20
const beginningBytes = 100

/** Takes chunks, and passes on each whole message, or the beginning of one that is too long. */
function messages(hear: (text: string) => void, skip: (beginning: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0

  function keep(part: Buffer): void {
    const hadRoom = size <= mostBytes
    size += part.length
    if (size <= mostBytes) parts.push(part)
    else if (hadRoom) parts = [Buffer.concat([...parts, part]).subarray(0, beginningBytes)]
  }

  return chunk => {
    let from = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      keep(chunk.subarray(from, at))
      const text = Buffer.concat(parts).toString('utf8')
      const tell = size > mostBytes ? skip : hear
      parts = []
      size = 0
      from = at + 1
      tell(text)
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
}

export function openCdp(out: Writable, back: Readable): Cdp {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, Map<string, (params: Answer) => void>>()
  let lastId = 0
  let gone: BrowserGone | undefined

  function end(reason: string): void {
    gone ??= new BrowserGone(reason)
    for (const { reject } of waiting.values()) reject(gone)
    waiting.clear()
    out.destroy()
    back.destroy()
  }

  /** An answer begins with its id. A message without a known id is an event that a page has blown up. It is ignored. */
  function skip(beginning: string): void {
    const id = Number(/^\{"id":(\d{1,15}),/.exec(beginning)?.[1])
    waiting.get(id)?.reject(new MessageTooLong(`an answer has more than ${mostBytes} bytes`))
    waiting.delete(id)
  }

  function hear(text: string): void {
    const { id, sessionId = '', method, params, result, error } = JSON.parse(text)
    if (id === undefined) listeners.get(sessionId)?.get(method)?.(params)
    const asked = waiting.get(id)
    if (!asked) return
    waiting.delete(id)
    if (error) asked.reject(new Error(error.message))
    else asked.resolve(result)
  }

  const sessionOf = (sessionId?: string): Session => ({
    send(method, params = {}) {
      if (gone) return Promise.reject(gone)
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      out.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`)
      return promise
    },
    on(method, hear) {
      const own = listeners.get(sessionId ?? '') ?? new Map()
      listeners.set(sessionId ?? '', own.set(method, hear))
    },
  })

  back.on('data', messages(hear, skip))
  for (const stream of [out, back])
    stream.on('error', () => end('its pipe broke')).on('close', () => end('it has ended'))
  return {
    ...sessionOf(),
    session: sessionOf,
    forget: id => {
      listeners.delete(id)
    },
  }
}
