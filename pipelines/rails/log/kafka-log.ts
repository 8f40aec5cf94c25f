/** The log of a cluster: Kafka. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Consumer, Kafka, logLevel } from 'kafkajs'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { Bounded } from '../bounded.ts'
import { groupIdOf } from './group-id.ts'
import type { KafkaAccess } from './kafka-access.ts'
import { KafkaBrokers } from './kafka-brokers.ts'
import { insisted, KafkaCluster } from './kafka-cluster.ts'
import { conditionIn } from './kafka-condition.ts'
import { type Delivery, KafkaReader } from './kafka-reader.ts'
import { KafkaSender } from './kafka-sender.ts'
import { KafkaTail } from './kafka-tail.ts'
import {
  type BatchLimits,
  batchLimits,
  type Entry,
  type Following,
  type FollowOptions,
  type Handle,
  type Log,
  type LogCondition,
  type LogOptions,
  type LogPosition,
  measured,
  startOf,
  totalOf,
  type Watching,
  type WatchOptions,
} from './log.ts'

export interface KafkaOptions extends LogOptions {
  /** False: a missing topic is an error, and is not created. */
  creates?: boolean
  /** The time limit for the acknowledgement of an append, and for the answer to a question. */
  appendMs?: number
  /** The log gives up on a broker that does not answer within this time, and asks the others for the new leader. */
  requestMs?: number
  /** The time that the start waits for a broker. */
  startMs?: number
  /** If a member is silent for this time, others take over its partitions. */
  sessionMs?: number
}

/** For members of groups. They try for about two seconds, and then begin anew. */
const retry = { initialRetryTime: 100, maxRetryTime: 1000, retries: 4 }
const restartMs = 1000
/** For questions about topics. The asker tries again, with another broker. */
const once = { initialRetryTime: 100, retries: 1 }

export async function openKafkaLog(at: readonly string[] | KafkaAccess, options: KafkaOptions): Promise<Log> {
  const access = 'brokers' in at ? at : { brokers: at }
  const { topics, creates = true, startMs, appendMs, requestMs } = { ...defaults, ...options }
  const told = sparingly(options.onError ?? (() => {}))
  const brokers = new KafkaBrokers(access, requestMs)
  const kafka = new Kafka({
    clientId: 'farebox',
    brokers: () => brokers.addresses,
    ...(access.ssl && { ssl: access.ssl }),
    ...(access.sasl && { sasl: access.sasl }),
    connectionTimeout: 1500,
    requestTimeout: 3000,
    retry,
    logLevel: logLevel.ERROR,
    logCreator:
      () =>
      ({ log, namespace }) =>
        told(`kafka ${namespace}: ${log.error ?? log.message}`),
  })
  const cluster = new KafkaCluster(() => kafka.admin({ retry: once }), access.brokers.length, appendMs)
  try {
    const { token } = access
    if (token) await insisted(startMs, token)
    await brokers.greet(startMs, error => told(`kafka: ${(error as Error).message}`))
    await cluster.connect(startMs)
    await (creates ? cluster.create(topics, startMs) : cluster.find(topics))
    return new KafkaLog(kafka, cluster, brokers, access, options, told)
  } catch (error) {
    brokers.close()
    await cluster.close()
    throw error
  }
}

const defaults = { appendMs: 10_000, requestMs: 1500, startMs: 60_000, sessionMs: 10_000 }

/** Reports an outage once a minute, and not for each connection and try. */
function sparingly(tell: (error: unknown) => void): (message: string) => void {
  const told = new Bounded<number>({ most: 100 })
  return message => {
    const now = performance.now()
    if (now - (told.peek(message) ?? -Infinity) < 60_000) return
    told.set(message, now)
    tell(new Error(message))
  }
}

class KafkaLog implements Log {
  readonly isOwned = false
  readonly #kafka: Kafka
  readonly #cluster: KafkaCluster
  readonly #newBrokers: () => KafkaBrokers
  /**
   * Answers questions about positions. Readers and senders have connections of their own, because a broker answers
   * one request of a connection at a time.
   */
  readonly #brokers: KafkaBrokers
  /** A caller waits for a record in one order. It does not stand behind the others, which a broker flushes partition by partition. */
  readonly #ordered: KafkaSender
  readonly #others: KafkaSender
  readonly #topics: Set<string>
  readonly #options: Required<Pick<KafkaOptions, 'appendMs' | 'startMs' | 'sessionMs' | 'onError'>>
  readonly #told: (message: string) => void
  readonly #readers = new Set<Following>()
  #closing: Promise<void> | undefined
  #closed = false

  constructor(
    kafka: Kafka,
    cluster: KafkaCluster,
    brokers: KafkaBrokers,
    access: KafkaAccess,
    options: KafkaOptions,
    told: (message: string) => void,
  ) {
    const { topics, requestMs = defaults.requestMs } = options
    this.#options = { ...defaults, onError: () => {}, ...options }
    this.#kafka = kafka
    this.#cluster = cluster
    this.#newBrokers = () => new KafkaBrokers(access, requestMs)
    this.#brokers = brokers
    this.#ordered = new KafkaSender(this.#newBrokers(), this.#options.appendMs)
    this.#others = new KafkaSender(this.#newBrokers(), this.#options.appendMs)
    this.#topics = new Set(topics.map(({ name }) => name))
    this.#told = told
  }

  async append(topic: Topic, entries: readonly Entry[]): Promise<void> {
    this.#check(topic)
    measured(topic, entries)
    if (this.#closed) throw new Error('the log is closed')
    await (topic.inOneOrder ? this.#ordered : this.#others).append(topic, entries)
  }

  async follow(topic: Topic, group: string, handle: Handle, options: FollowOptions = {}): Promise<Following> {
    const { most = batchLimits } = options
    this.#check(topic)
    if (this.#closing) throw new Error('the log is closed')
    let consumer: Consumer | undefined
    const reader: KafkaReader = new KafkaReader({
      handle,
      most,
      heartbeatMs: this.#options.sessionMs / 5,
      leave: async () => {
        await consumer?.disconnect()
      },
      onEnd: (_, error) => this.#ended(reader, error),
    })
    const join = async () => {
      // So that the consumer begins with a broker that answers now.
      await this.#brokers.greet(this.#options.appendMs, () => {})
      consumer = this.#consumerOf(groupIdOf(topic, group), most)
      // kafkajs itself continues after some errors. After the others the member starts again, so no failure of Kafka
      // ends it.
      consumer.on('consumer.crash', ({ payload }) => void (payload.restart || rejoin()))
      await consumer.connect()
      await consumer.subscribe({ topic: topic.name, fromBeginning: true })
      const eachBatch = (delivery: unknown) => reader.take(delivery as Delivery)
      await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })
    }
    const rejoin = async () => {
      while (!reader.isOver)
        try {
          await consumer?.disconnect()
          await sleep(restartMs)
          if (!reader.isOver) await join()
          return
        } catch (error) {
          this.#told(`kafka ${topic.name}: ${(error as Error).message}`)
        }
    }
    this.#readers.add(reader)
    // At the start, a process waits as long for the group as for a broker.
    await insisted(this.#options.startMs, () =>
      join().catch(async error => {
        await consumer?.disconnect()
        throw error
      }),
    )
    return reader
  }

  async watch(topic: Topic, handle: Handle, { from }: WatchOptions = {}): Promise<Watching> {
    this.#check(topic)
    // At the start, a process waits as long for the leader of a topic as for a broker.
    const { begin, end } = await this.#brokers.bounds(topic.name, this.#options.startMs)
    if (this.#closing) throw new Error('the log is closed')
    const starts = [...begin].map(([partition, begin]) => {
      const bounds = { begin, end: end.get(partition) ?? begin }
      return [partition, startOf(from, partition, bounds)] as const
    })
    const tail: KafkaTail = new KafkaTail({
      topic: topic.name,
      handle,
      brokers: this.#newBrokers(),
      begin: new Map(starts),
      end,
      onError: error => this.#told(`kafka ${topic.name}: ${(error as Error).message}`),
      onEnd: (_, error) => this.#ended(tail, error),
    })
    this.#readers.add(tail)
    return tail
  }

  async end(topic: Topic): Promise<LogPosition> {
    this.#check(topic)
    return (await this.#brokers.bounds(topic.name, this.#options.appendMs)).end
  }

  async lag(topic: Topic, group: string): Promise<number> {
    return totalOf(await this.lags(topic, group))
  }

  async lags(topic: Topic, group: string): Promise<ReadonlyMap<number, number>> {
    this.#check(topic)
    const bounds = await this.#brokers.bounds(topic.name, this.#options.appendMs)
    return this.#cluster.lags(topic, groupIdOf(topic, group), bounds)
  }

  async condition(): Promise<LogCondition> {
    return conditionIn(await this.#brokers.metadata([...this.#topics]))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Closes readers first, because their current batch may still append. */
  async #close(): Promise<void> {
    await Promise.all([...this.#readers].map(reader => reader.close()))
    this.#closed = true
    await Promise.all([this.#ordered.close(), this.#others.close()])
    this.#brokers.close()
    await this.#cluster.close()
  }

  #consumerOf(groupId: string, most: BatchLimits): Consumer {
    const { sessionMs } = this.#options
    return this.#kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: sessionMs,
      heartbeatInterval: sessionMs / 5,
      maxBytesPerPartition: most.bytes,
      maxBytes: 4 * batchLimits.bytes,
      maxWaitTimeInMs: 500,
      readUncommitted: true,
      retry,
    })
  }

  #ended(reader: Following, error: unknown): void {
    this.#readers.delete(reader)
    if (error !== undefined) this.#options.onError(error)
  }

  #check(topic: Topic): void {
    if (!this.#topics.has(topic.name))
      throw new Error(`${topic.name}: the log was not opened with this topic`)
  }
}
