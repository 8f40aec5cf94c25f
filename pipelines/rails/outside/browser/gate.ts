/**
 * The only way out for a page in the browser: a proxy on loopback that resolves, checks and dials by itself. It
 * remembers the address of each host, and counts the bytes of the page. Each page has its own gate.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Reach } from '../fetching/dial.ts'
import { dnsResolver, type Resolve } from '../fetching/resolver.ts'
import { type NotPublic, VisitFailed } from '../fetching/visit-failures.ts'
import { PinnedHosts } from './pinned-hosts.ts'

export interface GateOptions {
  resolve?: Resolve | undefined
  reach?: Reach | undefined
  /** The limit for a page's traffic, in both directions. */
  mostBytes?: number
}

export interface Gate {
  port: number
  /** The dialled address of a host. All connections of a page to one host go there. */
  addressOf(host: string): string | undefined
  /** The reason why a host was not reached. */
  failureOf(host: string): NotPublic | VisitFailed | undefined
  readonly bytes: number
  /** Whether the page wanted more bytes than its limit. */
  readonly isOverdrawn: boolean
  close(): Promise<void>
}

const usualBytes = 20 << 20
const dialMs = 10_000
/** Headers for the connection to the proxy, not for the server behind it. */
const ofConnection = /^(proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

export async function openGate({ resolve, reach, mostBytes = usualBytes }: GateOptions): Promise<Gate> {
  const traffic = new Traffic(mostBytes)
  const hosts = new PinnedHosts(resolve ?? dnsResolver(), reach)
  const closing = new AbortController()

  async function reached(text: string): Promise<Socket> {
    if (traffic.isOverdrawn) throw new VisitFailed('too_large', 'the page is too large')
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(dialMs)])
    return traffic.hold(await hosts.dial(text, signal))
  }

  const server = createServer({ keepAlive: false }, (incoming, response) => {
    reached(incoming.url ?? '')
      .then(socket => pass(socket.on('data', traffic.count), incoming, response))
      .catch(() => response.writeHead(502, { connection: 'close' }).end())
  })
  server.on('connection', (socket: Socket) => traffic.hold(socket))
  server.on('connect', ({ url = '' }: IncomingMessage, client: Duplex, head: Buffer) => {
    reached(`https://${url}`)
      .then(socket => join(socket.on('data', traffic.count), client.on('data', traffic.count), head))
      .catch(() => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    addressOf: host => hosts.addressOf(host),
    failureOf: host => hosts.failureOf(host),
    get bytes() {
      return traffic.bytes
    },
    get isOverdrawn() {
      return traffic.isOverdrawn
    },
    close: () =>
      new Promise(resolve => {
        closing.abort(new Error('the page is closed'))
        server.close(() => resolve())
        traffic.end()
      }),
  }
}

/** Sends the browser's request to the server, and passes its answer on. */
function pass(socket: Socket, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', rawHeaders } = incoming
  const { pathname, search } = new URL(url)
  const outgoing = request({
    createConnection: () => socket,
    method,
    path: pathname + search,
    setHost: false,
    headers: passed(rawHeaders),
  })
  outgoing.on('response', answer => {
    response.sendDate = false
    response.writeHead(answer.statusCode ?? 502, passed(answer.rawHeaders))
    answer.on('error', () => response.destroy()).pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => socket.destroy())
  incoming.pipe(outgoing)
}

/** Joins the browser to the server. `head` has arrived before the answer. */
function join(socket: Socket, client: Duplex, head: Buffer): void {
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  socket.write(head)
  socket.on('close', () => client.destroy())
  client.on('close', () => socket.destroy())
  socket.pipe(client).pipe(socket)
}

/** The connections of one page, and their total bytes. */
class Traffic {
  readonly #most: number
  readonly #sockets = new Set<Duplex>()
  bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get isOverdrawn(): boolean {
    return this.bytes > this.#most
  }

  hold<S extends Duplex>(socket: S): S {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket))
    return socket
  }

  readonly count = (chunk: Buffer): void => {
    this.bytes += chunk.length
    if (this.isOverdrawn) this.end()
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

function passed(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = raw.slice(i, i + 2)
    if (!ofConnection.test(name)) kept.push(name, value)
  }
  return kept
}
