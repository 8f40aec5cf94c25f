/** A small HTTP server that only this machine can reach. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Asked {
  method: string
  path: string
  query: URLSearchParams
  body: string
}

export interface LoopbackAnswer {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Buffer
}

export interface Loopback {
  url: string
  close(): Promise<void>
}

export async function serveLoopback(
  answer: (asked: Asked) => Promise<LoopbackAnswer> | LoopbackAnswer,
  port = 0,
): Promise<Loopback> {
  const read = async (request: IncomingMessage): Promise<Asked> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://loopback')
    return { method: request.method ?? 'GET', path, query, body: await text(request) }
  }
  const server = createServer((request, response) => {
    read(request)
      .then(answer)
      .catch(
        (error): LoopbackAnswer => ({ status: 500, body: json({ error: String(error.message ?? error) }) }),
      )
      .then(({ status = 200, type = 'application/json', headers, body }) => {
        response.writeHead(status, { 'content-type': type, ...headers }).end(body)
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Writes JSON with bigints as integers, like the nodes of both chains. */
export const json = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part))
