/** The log of a cluster: Kafka. */
import { randomUUID } from 'node:crypto'
import { CompressionTypes, Kafka, type LogEntry, logLevel, Partitioners } from 'kafkajs'
import type { Topic } from '../../schemas/dataset.ts'
import { KafkaCluster } from './kafka-cluster.ts'
import { KafkaReader } from './kafka-reader.ts'
import { KafkaSender, type Producer, type SentTo } from './kafka-sender.ts'
import {
  batchLimits,
  type Entry,
  type Following,
  type Handle,
  type Log,
  type LogOptions,
  measured,
  type Position,
  startOf,
  type Watching,
  type WatchOptions,
} from './log.ts'

export interface KafkaOptions extends LogOptions {
  /** false: a topic that is missing is an error, and not created. */
  creates?: boolean
  /** An append rejects when it is not acknowledged within this time, and so does a question that is not answered. */
  appendMs?: number
  /** A request that is not answered within this time is sent again. */
  requestMs?: number
  /** The start waits for so long for a broker that does not answer. */
  startMs?: number
  /** Others take over the partitions of a member that was silent for so long. */
  sessionMs?: number
}

/** About ten seconds. */
const retry = { initialRetryTime: 100, maxRetryTime: 2000, retries: 8 }

spendNegativeTimeoutWarning()

export async function openKafkaLog(brokers: string[], options: KafkaOptions): Promise<Log> {
  const {
    topics,
    creates = true,
    onError = () => {},
    appendMs = 20_000,
    requestMs = 10_000,
    startMs = 30_000,
  } = options
  const kafka = new Kafka({
    clientId: 'farebox',
    brokers,
    connectionTimeout: 3000,
    requestTimeout: requestMs,
    retry,
    logLevel: logLevel.ERROR,
    logCreator: () => sparingly(onError),
  })
  const cluster = new KafkaCluster(kafka.admin(), appendMs)
  await cluster.connect(brokers, startMs)
  await (creates ? cluster.create(topics) : cluster.find(topics))
  return new KafkaLog(kafka, cluster, new KafkaSender(appendMs, sentTo => producerOf(kafka, sentTo)), options)
}

/** Reports an outage once a minute, and not for each connection and try. */
function sparingly(tell: (error: unknown) => void): (entry: LogEntry) => void {
  const told = new Map<string, number>()
  return ({ log, namespace }) => {
    const message = `kafka ${namespace}: ${log.error ?? log.message}`
    const now = performance.now()
    if (now - (told.get(message) ?? -Infinity) < 60_000) return
    if (told.size >= 100) told.clear()
    told.set(message, now)
    tell(new Error(message))
  }
}

function producerOf(kafka: Kafka, sentTo: SentTo): Producer {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: () => {
      const choose = Partitioners.DefaultPartitioner()
      return args => {
        const partition = choose(args)
        sentTo(args.topic, partition)
        return partition
      }
    },
  })
  return {
    connect: () => producer.connect(),
    disconnect: () => producer.disconnect(),
    sendBatch: batch => producer.sendBatch({ ...batch, acks: -1, compression: CompressionTypes.GZIP }),
  }
}

class KafkaLog implements Log {
  readonly isOwned = false
  readonly #kafka: Kafka
  readonly #cluster: KafkaCluster
  readonly #sender: KafkaSender
  readonly #topics: Set<string>
  readonly #onError: (error: unknown) => void
  readonly #sessionMs: number
  readonly #readers = new Set<KafkaReader>()
  #closing: Promise<void> | undefined
  #closed = false

  constructor(kafka: Kafka, cluster: KafkaCluster, sender: KafkaSender, options: KafkaOptions) {
    this.#kafka = kafka
    this.#cluster = cluster
    this.#sender = sender
    this.#topics = new Set(options.topics.map(({ name }) => name))
    this.#onError = options.onError ?? (() => {})
    this.#sessionMs = options.sessionMs ?? 10_000
  }

  async append(topic: Topic, entries: readonly Entry[]): Promise<void> {
    this.#check(topic)
    measured(topic, entries)
    if (this.#closed) throw new Error('the log is closed')
    await this.#sender.append(topic, entries)
  }

  follow(topic: Topic, group: string, handle: Handle): Promise<Following> {
    return this.#read(topic, handle, groupIdOf(topic, group), true)
  }

  /** kafkajs cannot assign partitions by hand, so each watch is a group of its own that never commits. */
  watch(topic: Topic, handle: Handle, options: WatchOptions = {}): Promise<Watching> {
    return this.#read(topic, handle, `farebox.watch.${randomUUID()}`, false, options)
  }

  async end(topic: Topic): Promise<Position> {
    this.#check(topic)
    return (await this.#cluster.bounds(topic)).end
  }

  async lag(topic: Topic, group: string): Promise<number> {
    this.#check(topic)
    return this.#cluster.lag(topic, groupIdOf(topic, group))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Readers close first, because what they have in hand may still append. */
  async #close(): Promise<void> {
    await Promise.all([...this.#readers].map(reader => reader.close()))
    this.#closed = true
    await this.#sender.close()
    await this.#cluster.close()
  }

  async #read(
    topic: Topic,
    handle: Handle,
    groupId: string,
    commits: boolean,
    { from }: WatchOptions = {},
  ): Promise<KafkaReader> {
    this.#check(topic)
    if (this.#closing) throw new Error('the log is closed')
    const bounds = await this.#cluster.bounds(topic)
    const { end } = bounds
    const begin = new Map(
      [...bounds.begin].map(([partition, begin]) => [
        partition,
        startOf(from, partition, { begin, end: end.get(partition) ?? begin }),
      ]),
    )
    const heartbeatMs = this.#sessionMs / 5
    const consumer = this.#kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: this.#sessionMs,
      heartbeatInterval: heartbeatMs,
      maxBytesPerPartition: batchLimits.bytes,
      maxBytes: 4 * batchLimits.bytes,
      maxWaitTimeInMs: 500,
      retry: { ...retry, restartOnFailure: async () => !reader.closing },
    })
    const reader = new KafkaReader({
      handle,
      commits,
      heartbeatMs,
      begin,
      end,
      leave: async () => {
        await consumer.disconnect()
        if (!commits) await this.#cluster.forget(groupId)
      },
      onEnd: (reader, error) => {
        this.#readers.delete(reader)
        if (error !== undefined) this.#onError(error)
      },
    })
    this.#readers.add(reader)
    consumer.on('consumer.crash', ({ payload }) => {
      if (!payload.restart) reader.fail(payload.error)
    })
    // Compaction may leave a batch empty. Then nothing else tells that the reader has come so far.
    consumer.on('consumer.end_batch_process', ({ payload: { batchSize, partition, lastOffset } }) => {
      if (batchSize === 0) reader.progress.advance(partition, BigInt(lastOffset) + 1n)
    })
    // A watch commits nothing, so Kafka would begin again at the beginning after a lost connection.
    consumer.on('consumer.group_join', () => {
      for (const partition of commits ? [] : begin.keys())
        consumer.seek({ topic: topic.name, partition, offset: String(reader.progress.at(partition)) })
    })
    await consumer.connect()
    await consumer.subscribe({ topic: topic.name, fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: delivery => reader.take(delivery),
    })
    return reader
  }

  #check(topic: Topic): void {
    if (!this.#topics.has(topic.name))
      throw new Error(`${topic.name}: the log was not opened with this topic`)
  }
}

/** A group for each topic: kafkajs would assign a member the partitions of topics that only other members read. */
const groupIdOf = (topic: Topic, group: string) => `farebox.${group}.${topic.name}`

/**
 * kafkajs sets timers that lie in the past, and Node warns of that once in each process, on the operator's screen. This
 * uses the one warning up, so that nobody sees it.
 */
function spendNegativeTimeoutWarning(): void {
  const { emitWarning } = process
  process.emitWarning = () => {}
  clearTimeout(setTimeout(() => {}, -1))
  process.emitWarning = emitWarning
}
