/** The part of kafkajs below its public face that kafka-line.ts stands on. Version 2.2.4 is its last one, and is pinned. */
declare module 'kafkajs/src/broker/index.js' {
  import type { Broker } from 'kafkajs'

  const broker: new (options: {
    connectionPool: unknown
    logger: unknown
    allowAutoTopicCreation: boolean
  }) => Broker
  export default broker
}

declare module 'kafkajs/src/network/connectionPool.js' {
  interface Connection {
    rejectRequests(error: Error): void
    disconnect(): Promise<unknown>
  }
  const connectionPool: new (options: {
    host: string
    port: number
    clientId: string
    logger: unknown
    socketFactory: unknown
    connectionTimeout: number
    requestTimeout: number
    enforceRequestTimeout: boolean
  }) => { pool: readonly Connection[] }
  export default connectionPool
}
