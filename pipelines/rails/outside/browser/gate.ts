/**
 * The only way out for a page in the browser: a proxy on loopback that resolves, checks and dials by itself. It remembers
 * which host it has dialled at which address, and counts the bytes of the page. Each page has a gate of its own.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { parseIpAddress } from '../../../../schemas/values/ip-address.ts'
import { hostOf, portOf, publicAddresses, readPublicUrl, usualRules } from '../fetching/address.ts'
import { dial, type Reach } from '../fetching/dial.ts'
import { NotPublic, VisitFailed } from '../fetching/failures.ts'
import { dnsResolver, type Resolve } from '../fetching/resolver.ts'

export interface GateOptions {
  resolve?: Resolve | undefined
  reach?: Reach | undefined
  /** All that a page may bring, in both directions. */
  mostBytes?: number
}

export interface Gate {
  port: number
  /** The address that a host was dialled at. All connections of a page to one host go there. */
  addressOf(host: string): string | undefined
  /** Why a host was not reached. */
  failureOf(host: string): NotPublic | VisitFailed | undefined
  readonly bytes: number
  /** Whether the page wanted more bytes than it may have. */
  readonly isOverdrawn: boolean
  close(): Promise<void>
}

const usualBytes = 20 << 20
const dialMs = 10_000
/** They are about the connection to the proxy, and not for the server behind it. */
const ofConnection = /^(proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

export async function openGate(options: GateOptions): Promise<Gate> {
  const { resolve = dnsResolver(), reach, mostBytes = usualBytes } = options
  const pinned = new Map<string, string>()
  const failures = new Map<string, NotPublic | VisitFailed>()
  const sockets = new Set<Duplex>()
  const closing = new AbortController()
  let bytes = 0

  function hold<S extends Duplex>(socket: S): S {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    return socket
  }

  function count(chunk: Buffer): void {
    bytes += chunk.length
    if (bytes > mostBytes) for (const socket of sockets) socket.destroy()
  }

  async function reached(text: string): Promise<Socket> {
    if (bytes > mostBytes) throw new VisitFailed('too_large', 'the page is too large')
    const host = URL.canParse(text) ? hostOf(new URL(text)) : text
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(dialMs)])
    try {
      const url = readPublicUrl(text, usualRules)
      const pin = parseIpAddress(pinned.get(hostOf(url)) ?? '')
      const addresses = pin ? [pin] : await publicAddresses(url, resolve, signal)
      const target = { host: hostOf(url), addresses, port: portOf(url), secure: false }
      const { socket, address } = await dial(target, signal, { reach })
      pinned.set(hostOf(url), address)
      return hold(socket)
    } catch (error) {
      // The browser learns only that it did not work. Whoever asked for the page is told why.
      const known = error instanceof NotPublic || error instanceof VisitFailed
      failures.set(host, known ? error : new VisitFailed('timeout', `${host} takes no connection in time`))
      throw error
    }
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', rawHeaders } = incoming
    const socket = await reached(url)
    socket.on('data', count)
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

  async function tunnel(authority: string, client: Duplex, head: Buffer): Promise<void> {
    const socket = await reached(`https://${authority}`)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.write(head)
    socket.on('data', count).on('close', () => client.destroy())
    client.on('data', count).on('close', () => socket.destroy())
    socket.pipe(client).pipe(socket)
  }

  const server = createServer({ keepAlive: false }, (incoming, response) => {
    pass(incoming, response).catch(() => response.writeHead(502, { connection: 'close' }).end())
  })
  server.on('connection', hold)
  server.on('connect', ({ url = '' }: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel(url, client, head).catch(() => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    addressOf: host => pinned.get(host),
    failureOf: host => failures.get(host),
    get bytes() {
      return bytes
    },
    get isOverdrawn() {
      return bytes > mostBytes
    },
    close: () =>
      new Promise(resolve => {
        closing.abort(new Error('the page is closed'))
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
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
