/** Speaks the DevTools protocol with a browser over two pipes. Each message is JSON, ended by a zero byte. */
import type { Readable, Writable } from 'node:stream'

type Params = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: the protocol describes its answers, and we read few of their fields
type Answer = any

export interface Session {
  /** Rejects with the browser's own words, and with BrowserGone where it ends first. */
  send(method: string, params?: Params): Promise<Answer>
  /** Hears the events of this session. */
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

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** A message is as long as the longest thing that we ask for: the text of a page, or its picture. */
const mostBytes = 64 << 20

export function openCdp(out: Writable, back: Readable): Cdp {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, Map<string, (params: Answer) => void>>()
  let lastId = 0
  let parts: Buffer[] = []
  let size = 0
  let gone: BrowserGone | undefined

  function end(reason: string): void {
    gone ??= new BrowserGone(reason)
    for (const { reject } of waiting.values()) reject(gone)
    waiting.clear()
    out.destroy()
    back.destroy()
  }

  function take(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      hear(Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8'))
      parts = []
      size = 0
      from = at + 1
    }
    if (from === chunk.length) return
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > mostBytes) end('it sent a message that is too long')
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

  back.on('data', take)
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
