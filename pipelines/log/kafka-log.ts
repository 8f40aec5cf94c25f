/** The log of a cluster. */
import { randomUUID } from 'node:crypto'
import { type Admin, CompressionTypes, Kafka, logLevel, Partitioners } from 'kafkajs'
import type { Topic } from '../../schemas/dataset.ts'
import { KafkaReader } from './kafka-reader.ts'
import { KafkaSender } from './kafka-sender.ts'
import { settingsOf } from './kafka-topics.ts'
import {
  batchLimits,
  type Entry,
  type Following,
  type Handle,
  type Log,
  type LogOptions,
  measured,
  type Position,
  type Watching,
} from './log.ts'

export interface KafkaOptions extends LogOptions {
  /** An append that was not acknowledged by then rejects, and so does a question that was not answered. */
  appendMs?: number
  /** How long a broker that does not answer is waited for at start. */
  startMs?: number
  /** A member that is not heard of for so long has its partitions taken over. */
  sessionMs?: number
}

spendNegativeTimeoutWarning()

export async function openKafkaLog(brokers: string[], options: KafkaOptions): Promise<Log> {
  const { topics, onError = () => {}, startMs = 30_000 } = options
  const kafka = new Kafka({
    clientId: 'farebox',
    brokers,
    connectionTimeout: 3000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 8 },
    logLevel: logLevel.ERROR,
    logCreator:
      () =>
      ({ log, namespace }) =>
        onError(new Error(`kafka ${namespace}: ${log.error ?? log.message}`)),
  })
  const admin = kafka.admin()
  await connected(admin, brokers, startMs)
  await createTopics(admin, topics)
  return new KafkaLog(kafka, admin, options)
}

async function connected(admin: Admin, brokers: string[], startMs: number): Promise<void> {
  await insisted(startMs, () => admin.connect()).catch(error => {
    throw new Error(`no Kafka broker answers at ${brokers.join(', ')}: ${(error as Error).message}`)
  })
}

/** What stands there already is left as its operator wants it. */
async function createTopics(admin: Admin, topics: readonly Topic[]): Promise<void> {
  const { brokers } = await admin.describeCluster()
  const known = new Set(await admin.listTopics())
  const missing = topics.filter(({ name }) => !known.has(name))
  if (missing.length === 0) return
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map(topic => settingsOf(topic, brokers.length)),
  })
}

/** A topic just created, or whose leader moves, has nobody to ask for a moment: kafkajs gives up at once. */
async function insisted<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}

class KafkaLog implements Log {
  readonly #kafka: Kafka
  readonly #admin: Admin
  readonly #topics: Set<string>
  readonly #onError: (error: unknown) => void
  readonly #sessionMs: number
  readonly #askMs: number
  readonly #sender: KafkaSender
  readonly #readers = new Set<KafkaReader>()
  #closing: Promise<void> | undefined
  #closed = false

  constructor(kafka: Kafka, admin: Admin, options: KafkaOptions) {
    this.#kafka = kafka
    this.#admin = admin
    this.#topics = new Set(options.topics.map(({ name }) => name))
    this.#onError = options.onError ?? (() => {})
    this.#sessionMs = options.sessionMs ?? 10_000
    this.#askMs = options.appendMs ?? 20_000
    this.#sender = new KafkaSender(this.#askMs, sentTo => {
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
    })
  }

  async append(topic: Topic, entries: readonly Entry[]): Promise<void> {
    this.#known(topic)
    measured(topic, entries)
    if (this.#closed) throw new Error('the log is closed')
    await this.#sender.append(topic, entries)
  }

  /** A group per topic: members of one group that read different topics would be given each other's. */
  follow(topic: Topic, group: string, handle: Handle): Promise<Following> {
    return this.#read(topic, handle, groupIdOf(topic, group), true)
  }

  /** kafkajs assigns no partitions by hand, so each watch is a group of its own that never commits. */
  watch(topic: Topic, handle: Handle): Promise<Watching> {
    return this.#read(topic, handle, `farebox.watch.${randomUUID()}`, false)
  }

  async end(topic: Topic): Promise<Position> {
    return (await this.#bounds(topic)).end
  }

  async lag(topic: Topic, group: string): Promise<number> {
    const { begin, end } = await this.#bounds(topic)
    const groupId = groupIdOf(topic, group)
    const [committed] = await insisted(this.#askMs, () =>
      this.#admin.fetchOffsets({ groupId, topics: [topic.name] }),
    )
    let lag = 0n
    for (const { partition, offset } of committed?.partitions ?? []) {
      const from = begin.get(partition) ?? 0n
      lag += (end.get(partition) ?? 0n) - (BigInt(offset) > from ? BigInt(offset) : from)
    }
    return Number(lag)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Readers first: what they have in hand may still append. */
  async #close(): Promise<void> {
    await Promise.all([...this.#readers].map(reader => reader.close()))
    this.#closed = true
    await this.#sender.close()
    await this.#admin.disconnect()
  }

  async #read(topic: Topic, handle: Handle, groupId: string, commits: boolean): Promise<KafkaReader> {
    if (this.#closing) throw new Error('the log is closed')
    const { begin, end } = await this.#bounds(topic)
    const consumer = this.#kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: this.#sessionMs,
      heartbeatInterval: this.#sessionMs / 5,
      maxBytesPerPartition: batchLimits.bytes,
      maxBytes: 4 * batchLimits.bytes,
      maxWaitTimeInMs: 500,
      retry: {
        initialRetryTime: 100,
        maxRetryTime: 2000,
        retries: 8,
        restartOnFailure: async () => !reader.closing,
      },
    })
    const reader = new KafkaReader({
      handle,
      commits,
      heartbeatMs: this.#sessionMs / 5,
      begin,
      end,
      leave: async () => {
        await consumer.disconnect()
        // What a watch leaves behind when this fails holds nothing, and the broker forgets it by itself.
        if (!commits) await this.#admin.deleteGroups([groupId]).catch(() => {})
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
    // Where compaction left nothing to hand over, that is all there is to hear of it.
    consumer.on('consumer.end_batch_process', ({ payload }) => {
      if (payload.batchSize === 0) reader.progress.advance(payload.partition, BigInt(payload.lastOffset) + 1n)
    })
    if (!commits)
      consumer.on('consumer.group_join', () => {
        for (const partition of begin.keys())
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

  async #bounds(topic: Topic): Promise<{ begin: Position; end: Position }> {
    this.#known(topic)
    const offsets = await insisted(this.#askMs, () => this.#admin.fetchTopicOffsets(topic.name))
    return {
      begin: new Map(offsets.map(({ partition, low }) => [partition, BigInt(low)])),
      end: new Map(offsets.map(({ partition, high }) => [partition, BigInt(high)])),
    }
  }

  #known(topic: Topic): void {
    if (!this.#topics.has(topic.name))
      throw new Error(`${topic.name}: the log was not opened with this topic`)
  }
}

const groupIdOf = (topic: Topic, group: string) => `farebox.${group}.${topic.name}`

/**
 * kafkajs asks for timers that lie in the past, of which Node warns once per process, on the operator's screen. The one
 * warning is used up here, unheard.
 */
function spendNegativeTimeoutWarning(): void {
  const { emitWarning } = process
  process.emitWarning = () => {}
  clearTimeout(setTimeout(() => {}, -1))
  process.emitWarning = emitWarning
}
