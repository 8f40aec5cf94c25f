/**
 * The connections of one network to a facilitator. They grow with need up to a limit and end when they are idle. Each call has one to
 * itself. HTTP/2 would carry many on one connection, but undici sends a POST alone there, or again by itself once a connection breaks,
 * and nothing is settled twice unseen.
 */
import { buildConnector, Pool } from 'undici'
import { ConnectionLine } from './connection-line.ts'

/** A crowd of handshakes at once would take so long that all of them are given up. */
const mostConnecting = 64
const connectMs = 3000
const idleMs = 30_000

export class Connections {
  readonly pool: Pool
  readonly line: ConnectionLine
  readonly #connect = buildConnector({ timeout: connectMs })
  /** Connections to open, as many as there are turns at most. */
  readonly #unopened: (() => void)[] = []
  #connecting = 0
  #isClosed = false

  constructor(origin: string, most: number) {
    this.line = new ConnectionLine(most)
    this.pool = new Pool(origin, {
      connections: most,
      keepAliveTimeout: idleMs,
      connect: (options, callback) => {
        const begin = () => this.#open(options, callback)
        if (this.#connecting < mostConnecting) begin()
        else this.#unopened.push(begin)
      },
    })
  }

  close(): Promise<void> {
    this.#isClosed = true
    for (const begin of this.#unopened.splice(0)) begin()
    return this.pool.destroy()
  }

  #open(options: buildConnector.Options, callback: buildConnector.Callback): void {
    if (this.#isClosed) {
      callback(new Error('the till is closed'), null)
      return
    }
    this.#connecting++
    this.#connect(options, (...told) => {
      this.#connecting--
      this.#unopened.shift()?.()
      callback(...told)
    })
  }
}
