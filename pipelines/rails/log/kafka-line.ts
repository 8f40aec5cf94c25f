/** A connection to one broker, on kafkajs's own protocol code. */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { KafkaAccess } from './kafka-access.ts'
import { Broker, ConnectionPool } from './kafkajs-inside.ts'

export interface BrokerAddress {
  host: string
  port: number
}

/** Names the broker that did not answer. */
class Unanswered extends Error {}

const silent = { namespace: () => silent, debug() {}, info() {}, warn() {}, error() {} }

export class KafkaLine {
  readonly #address: BrokerAddress
  readonly #sockets = new Set<Socket>()
  readonly #pool: ConnectionPool
  readonly #broker: Broker
  #connected: Promise<void> | undefined

  constructor(address: BrokerAddress, { ssl, sasl }: KafkaAccess, connectMs: number) {
    this.#address = address
    const options = {
      clientId: 'farebox',
      logger: silent,
      connectionTimeout: connectMs,
      requestTimeout: connectMs,
    }
    this.#pool = new ConnectionPool({
      ...address,
      ...options,
      // Each request has its own time-out here.
      enforceRequestTimeout: false,
      ssl,
      sasl,
      socketFactory: ({ host, port, onConnect }: BrokerAddress & { onConnect: () => void }) => {
        const to = { host, port, noDelay: true, keepAlive: true }
        const name = isIP(host) ? {} : { servername: host }
        return this.#dial(ssl ? connectTls({ ...to, ...name, ...ssl }, onConnect) : connect(to, onConnect))
      },
    })
    this.#broker = new Broker({ connectionPool: this.#pool, logger: silent, allowAutoTopicCreation: false })
  }

  /** Rejects if there is no answer in time. The line is then useless. */
  async ask<T>(ms: number, question: (broker: Broker) => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const { host, port } = this.#address
    const timer = setTimeout(
      () => late.reject(new Unanswered(`${host}:${port} answers nothing in ${ms} ms`)),
      ms,
    )
    this.#connected ??= this.#broker.connect().catch(error => {
      throw new Unanswered(`no line to ${host}:${port}: ${(error as Error).message}`, { cause: error })
    })
    const answer = this.#connected.then(() => question(this.#broker))
    answer.catch(() => {})
    try {
      return await Promise.race([answer, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Rejects at once for everybody who waits for an answer. */
  cut(): void {
    const { host, port } = this.#address
    for (const connection of this.#pool.pool) {
      connection.rejectRequests(new Unanswered(`the line to ${host}:${port} is cut`))
      void connection.disconnect()
    }
    for (const socket of this.#sockets) socket.destroy()
  }

  #dial(socket: Socket): Socket {
    this.#sockets.add(socket)
    return socket.once('close', () => this.#sockets.delete(socket))
  }
}
