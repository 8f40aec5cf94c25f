/** Load from raw sockets, a call in flight on each: what is measured is the server, not an HTTP client beside it. */
import { once } from 'node:events'
import { connect } from 'node:net'

const bodyLength = /\r\ncontent-length: (\d+)/i

/** Requests as bytes, sent as fast as the answers come; resolves with calls per second. */
export async function callsPerSecond(
  url: string,
  requests: readonly Buffer[],
  { connections, status }: { connections: number; status: number },
): Promise<number> {
  const { hostname, port } = new URL(url)
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay()
      await once(socket, 'connect')
      return socket
    }),
  )
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    sockets.map(
      socket =>
        new Promise<void>((resolve, reject) => {
          let answer = ''
          const send = () => {
            const request = requests[next++]
            if (request) socket.write(request)
            else resolve()
          }
          socket.on('data', part => {
            answer += part.toString('latin1')
            const head = answer.indexOf('\r\n\r\n')
            if (head < 0) return
            const length = Number(bodyLength.exec(answer)?.[1])
            if (answer.length < head + 4 + length) return
            if (!answer.startsWith(`HTTP/1.1 ${status} `))
              reject(new Error(`${url}: ${answer.slice(0, 2000)}`))
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
  return requests.length / seconds
}

/** A POST of JSON as the bytes that go over the wire. */
export const postBytes = (path: string, body: string, headers: Record<string, string> = {}): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${Object.entries(
      headers,
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`,
  )
