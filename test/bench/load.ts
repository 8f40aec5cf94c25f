/** Sends load over raw sockets, one call in flight on each, so that the bench measures no HTTP client. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const bodyLength = /\r\ncontent-length: (\d+)/i

export interface Measured {
  perSecond: number
  /** How long each call took, the fastest first. */
  tookMs: number[]
  /** How many answers had each status. */
  statuses: ReadonlyMap<number, number>
}

/** More at once would wait for the backlog of the server. */
const connectedAtOnce = 256

/**
 * Sends requests, which are bytes, as fast as the answers come, or no more of them a second than `perSecond`. Rejects on an answer with
 * another status, if there is to be but one.
 */
export async function load(
  url: string,
  requests: readonly Buffer[],
  { connections, status, perSecond }: { connections: number; status?: number; perSecond?: number },
): Promise<Measured> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  while (sockets.length < connections) {
    const opened = Array.from({ length: Math.min(connectedAtOnce, connections - sockets.length) }, () =>
      connect(Number(port), hostname).setNoDelay(),
    )
    await Promise.all(opened.map(socket => once(socket, 'connect')))
    sockets.push(...opened)
  }
  const statuses = new Map<number, number>()
  let next = 0
  const tookMs: number[] = []
  const startedAt = performance.now()
  await Promise.all(
    sockets.map(
      socket =>
        new Promise<void>((resolve, reject) => {
          let answer = ''
          let sentAt = 0
          const write = (request: Buffer) => {
            sentAt = performance.now()
            socket.write(request)
          }
          const send = () => {
            const at = next++
            const request = requests[at]
            if (!request) return resolve()
            const waitMs = perSecond ? startedAt + (at / perSecond) * 1000 - performance.now() : 0
            if (waitMs > 1) setTimeout(write, waitMs, request)
            else write(request)
          }
          socket.on('data', part => {
            answer += part.toString('latin1')
            const head = answer.indexOf('\r\n\r\n')
            if (head < 0) return
            const length = Number(bodyLength.exec(answer)?.[1])
            if (answer.length < head + 4 + length) return
            const told = Number(answer.slice(9, 12))
            statuses.set(told, (statuses.get(told) ?? 0) + 1)
            if (status !== undefined && told !== status) reject(new Error(`${url}: ${answer.slice(0, 2000)}`))
            tookMs.push(performance.now() - sentAt)
            answer = ''
            send()
          })
          socket.on('error', reject)
          send()
        }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  return { perSecond: requests.length / seconds, tookMs: tookMs.sort((a, b) => a - b), statuses }
}

/** The value below which so many of a hundred lie. */
export const percentile = (sorted: readonly number[], of: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * of) / 100))] as number

/** The bytes of a POST with JSON. */
export const postBytes = (path: string, body: string, headers: Record<string, string> = {}): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${Object.entries(
      headers,
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`,
  )
