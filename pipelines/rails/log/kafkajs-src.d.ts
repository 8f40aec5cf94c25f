/** The inner part of kafkajs that kafka-line.ts uses. package.json pins version 2.2.4, which is the last one. */
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
    ssl: unknown
    sasl: unknown
    connectionTimeout: number
    requestTimeout: number
    enforceRequestTimeout: boolean
  }) => { pool: readonly Connection[] }
  export default connectionPool
}
