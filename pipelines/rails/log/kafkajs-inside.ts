/**
 * The internals of kafkajs that we use. No other file imports them. None of them is public, so an upgrade may move or
 * change them: package.json pins the version, each entry here says what it is used for, and an error names an entry
 * that is missing.
 */
import { createRequire } from 'node:module'
import { crc32c } from './kafka-hashes.ts'
import { type Message, recordsIn } from './kafka-records.ts'

interface InnerPart {
  file: string
  /** The methods that are called. */
  methods: readonly string[]
  usedFor: string
}

export const innerParts = {
  broker: {
    file: 'kafkajs/src/broker/index.js',
    methods: ['connect', 'metadata', 'initProducerId', 'produce', 'fetch', 'listOffsets'],
    usedFor:
      'asking one broker: the public part reads no topic without a group, and waits for a broker that hangs',
  },
  pool: {
    file: 'kafkajs/src/network/connectionPool.js',
    methods: ['getConnection'],
    usedFor: 'giving a broker connections whose sockets we open and close ourselves',
  },
  connection: {
    file: 'kafkajs/src/network/connection.js',
    methods: ['rejectRequests', 'disconnect'],
    usedFor: 'telling everybody who waits for an answer that the line is cut',
  },
  records: {
    file: 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js',
    methods: [],
    usedFor: 'reading records, which kafka-records.ts does in its place',
  },
  checksum: {
    file: 'kafkajs/src/protocol/recordBatch/crc32C/index.js',
    methods: [],
    usedFor: 'the checksum of what is appended, which kafka-hashes.ts computes in its place',
  },
} as const satisfies Record<string, InnerPart>
const writer = 'kafkajs/src/protocol/recordBatch/v0/index.js'

export interface PartitionMetadata {
  partitionId: number
  /** Negative if it has none. */
  leader: number
  replicas: number[]
  /** The copies that are up to date. */
  isr: number[]
}

export interface Metadata {
  brokers: { nodeId: number; host: string; port: number }[]
  topicMetadata: { topic: string; partitionMetadata: PartitionMetadata[] }[]
}

export interface Fetched {
  responses: {
    partitions: { partition: number; highWatermark: string; messages: Message[] }[]
  }[]
}

export interface Broker {
  connect(): Promise<void>
  metadata(topics: string[]): Promise<Metadata>
  initProducerId(asked: object): Promise<{ producerId: unknown; producerEpoch: number }>
  produce(asked: object): Promise<unknown>
  fetch(asked: object): Promise<Fetched>
  listOffsets(asked: object): Promise<{
    responses: { partitions: { partition: number; offset: string }[] }[]
  }>
}

export interface ConnectionPool {
  readonly pool: readonly { rejectRequests(error: Error): void; disconnect(): Promise<unknown> }[]
}

interface PoolOptions {
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
}

const require = createRequire(import.meta.url)
type Made = (new (options: never) => unknown) & { prototype: object }

/** Throws an error that names the part if kafkajs no longer has it. */
export function taken({ file, methods, usedFor }: InnerPart): Made {
  const { version } = require('kafkajs/package.json') as { version: string }
  const gone = (what: string, cause?: unknown) =>
    new Error(`kafkajs ${version} ${what}; it is used for ${usedFor}`, { cause })
  let made: Made
  try {
    made = require(file) as Made
  } catch (error) {
    throw gone(`has moved ${file}`, error)
  }
  for (const method of methods)
    if (!(method in (made.prototype ?? {}))) throw gone(`has no ${method} in ${file}`)
  return made
}

export const Broker = taken(innerParts.broker) as unknown as new (options: {
  connectionPool: ConnectionPool
  logger: unknown
  allowAutoTopicCreation: boolean
}) => Broker
export const ConnectionPool = taken(innerParts.pool) as unknown as new (
  options: PoolOptions,
) => ConnectionPool
taken(innerParts.connection)
// The reader of records loads the writer of batches, so the checksum comes first. A writer that was there before would keep that of kafkajs.
delete require.cache[require.resolve(writer)]
replace(innerParts.checksum, crc32c)
replace(innerParts.records, async (answer: { readInt32(): number; readBytes(bytes: number): Buffer }) => {
  const bytes = answer.readInt32()
  return bytes > 0 ? recordsIn(answer.readBytes(bytes)) : []
})

/** kafkajs loads the files of its protocol with the first request, and each of them then takes ours. */
function replace(part: InnerPart, ours: (...asked: never[]) => unknown): void {
  taken(part)
  const loaded = require.cache[require.resolve(part.file)]
  if (!loaded) throw new Error(`kafkajs has not loaded ${part.file}`)
  loaded.exports = ours
}

spendNegativeTimeoutWarning()

/**
 * kafkajs sets timers in the past, and Node warns of that once per process, on the operator's screen. This uses up the
 * one warning, so that nobody sees it.
 */
function spendNegativeTimeoutWarning(): void {
  const { emitWarning } = process
  process.emitWarning = () => {}
  clearTimeout(setTimeout(() => {}, -1))
  process.emitWarning = emitWarning
}
