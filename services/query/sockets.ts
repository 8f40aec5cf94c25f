/**
 * More sockets that listen at the port of a server. Node accepts one connection of a socket each time its loop comes round, so that a
 * busy process lets hundreds of new callers wait for seconds. The kernel shares the callers among these sockets.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as Listener } from 'node:net'
import { mostConnections } from './connections.ts'

/** Linux shares connections among the sockets of a port. macOS and Windows do not. */
const isShared = process.platform === 'linux'
const count = isShared ? 64 : 1

export class Sockets {
  readonly #server: Server
  #more: Listener[] = []

  constructor(server: Server) {
    this.#server = server
    server.maxConnections = mostConnections
  }

  /** Lets the server listen, by `listen`, and opens the other sockets. Rejects with EADDRINUSE if another program has the port. */
  async open(
    place: { host: string; port: number },
    listen: (options: { host: string; port: number; reusePort: boolean }) => Promise<unknown>,
  ): Promise<number> {
    // A port that is shared would be shared with another seller, too, so first it must be ours alone.
    if (isShared && place.port !== 0) await alone(place)
    await listen({ ...place, reusePort: isShared })
    const { port } = this.#server.address() as AddressInfo
    const share = Math.ceil(mostConnections / count)
    this.#server.maxConnections = share
    while (this.#more.length < count - 1) {
      const listener = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
        this.#server.emit('connection', socket)
      })
      listener.maxConnections = share
      this.#more.push(listener)
      await listening(listener, { ...place, port, reusePort: true })
    }
    return port
  }

  /** Takes no more connections. */
  shut(): void {
    for (const listener of this.#more) if (listener.listening) listener.close()
  }

  /** Resolves when the last connection has ended. */
  async ended(): Promise<void> {
    this.shut()
    await Promise.all(this.#more.map(listener => new Promise(resolve => listener.close(resolve))))
    this.#more = []
  }
}

async function alone(place: { host: string; port: number }): Promise<void> {
  const probe = createServer()
  await listening(probe, place)
  probe.close()
  await once(probe, 'close')
}

async function listening(
  server: Listener,
  place: { host: string; port: number; reusePort?: boolean },
): Promise<void> {
  server.listen(place)
  await once(server, 'listening')
}
