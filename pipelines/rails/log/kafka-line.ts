/**
 * A line to one broker, on kafkajs's own protocol code. The public part of kafkajs reads no topic without a group, and
 * asks a broker that hangs again and again.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import Broker from 'kafkajs/src/broker/index.js'
import ConnectionPool from 'kafkajs/src/network/connectionPool.js'
import type { KafkaAccess } from './kafka-access.ts'

export interface Metadata {
  brokers: { nodeId: number; host: string; port: number }[]
  topicMetadata: { topic: string; partitionMetadata: { partitionId: number; leader: number }[] }[]
}

export interface Message {
  offset: string
  timestamp: string
  key: Buffer | null
  value: Buffer | null
  headers?: Record<string, unknown>
  isControlRecord?: boolean
}

export interface Fetched {
  responses: {
    partitions: { partition: number; highWatermark: string; messages: Message[] }[]
  }[]
}

/** The part of a kafkajs broker that this file uses. */
export interface BrokerApi {
  connect(): Promise<void>
  metadata(topics: string[]): Promise<Metadata>
  initProducerId(asked: object): Promise<{ producerId: unknown; producerEpoch: number }>
  produce(asked: object): Promise<unknown>
  fetch(asked: object): Promise<Fetched>
  listOffsets(asked: object): Promise<{
    responses: { partitions: { partition: number; offset: string }[] }[]
  }>
}

export interface Address {
  host: string
  port: number
}

/** Names the broker that did not answer. */
export class Unanswered extends Error {}

const silent = { namespace: () => silent, debug() {}, info() {}, warn() {}, error() {} }

export class KafkaLine {
  readonly #address: Address
  readonly #sockets = new Set<Socket>()
  readonly #pool: ConstructorParameters<typeof Broker>[0]['connectionPool'] &
    InstanceType<typeof ConnectionPool>
  readonly #broker: BrokerApi
  #connected: Promise<void> | undefined

  constructor(address: Address, { ssl, sasl }: KafkaAccess, connectMs: number) {
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
      socketFactory: ({ host, port, onConnect }: Address & { onConnect: () => void }) => {
        const to = { host, port, noDelay: true, keepAlive: true }
        const name = isIP(host) ? {} : { servername: host }
        return this.#dial(ssl ? connectTls({ ...to, ...name, ...ssl }, onConnect) : connect(to, onConnect))
      },
    })
    this.#broker = new Broker({
      connectionPool: this.#pool,
      logger: silent,
      allowAutoTopicCreation: false,
    }) as unknown as BrokerApi
  }

  /** Rejects if there is no answer in time. The line is then useless. */
  async ask<T>(ms: number, question: (broker: BrokerApi) => Promise<T>): Promise<T> {
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
