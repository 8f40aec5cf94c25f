/**
 * Two neighbours on the sandbox's public web: a shop, which sells the sandbox's operations until it is shut, and a receiver of
 * webhooks, which writes down what it hears.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { hookUrl, shopUrl } from '../origins/watch/examples.ts'
import type { SandboxWeb } from './public-web.ts'

interface Street {
  /** The address that controls both: POST /shut, /open, /deaf and /hearing, GET /heard. */
  url: string
  /** Gives the shop its supplier. Earlier requests wait, because the service checks the shop while it starts. */
  supply(serviceUrl: string): void
  close(): Promise<void>
}

/** The lines that the receiver writes down. They outlive the sandbox. */
export interface Heard {
  at: string
  /** The status of its answer. */
  status: number
  headers: Record<string, string>
  body: string
}

const heardIn = (folder: string): string => join(folder, 'hooks.jsonl')

export async function openStreet(web: SandboxWeb, folder: string): Promise<Street> {
  const supplied = Promise.withResolvers<string>()
  let isShut = false
  let isDeaf = false

  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (isShut) {
      answer.writeHead(503).end('closed')
      return
    }
    const { method = 'GET', url = '/', headers } = asked
    const passedOn = request(new URL(url, await supplied.promise), { method, headers }, got => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    passedOn.on('error', () => answer.writeHead(502).end())
    asked.pipe(passedOn)
  }

  async function hear(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    // A request without this header is a look at the address, and no event.
    if (asked.headers['webhook-id'] === undefined) {
      answer.writeHead(405, { allow: 'POST' }).end()
      return
    }
    const body = await text(asked)
    const status = isDeaf ? 500 : 204
    const headers = Object.fromEntries(
      Object.entries(asked.headers).map(([name, value]) => [name, String(value)]),
    )
    const heard: Heard = { at: new Date().toISOString(), status, headers, body }
    appendFileSync(heardIn(folder), `${JSON.stringify(heard)}\n`)
    answer.writeHead(status).end()
  }

  function steer({ url }: IncomingMessage, answer: ServerResponse): void {
    if (url === '/shut' || url === '/open') isShut = url === '/shut'
    if (url === '/deaf' || url === '/hearing') isDeaf = url === '/deaf'
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(readHeard(folder)))
  }

  const server = createServer((asked, answer) => {
    const { host } = asked.headers
    const broken = () => answer.destroy()
    if (host === new URL(shopUrl).host) serve(asked, answer).catch(broken)
    else if (host === new URL(hookUrl).host) hear(asked, answer).catch(broken)
    else steer(asked, answer)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  for (const url of [shopUrl, hookUrl]) web.place(new URL(url).hostname, port)
  return {
    url: `http://127.0.0.1:${port}`,
    supply: supplied.resolve,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function readHeard(folder: string): Heard[] {
  if (!existsSync(heardIn(folder))) return []
  const lines = readFileSync(heardIn(folder), 'utf8').split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line) as Heard)
}
