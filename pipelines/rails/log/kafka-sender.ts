/** Appends to Kafka, one send at a time. Records that arrive meanwhile go with the next one. */
import { CompressionTypes } from 'kafkajs'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { GroupCommit } from './group-commit.ts'
import { type KafkaBrokers, typeOf } from './kafka-brokers.ts'
import { partitionOf } from './kafka-hashes.ts'
import { bytesOf, type Entry } from './log.ts'

interface Append {
  topic: Topic
  entries: readonly Entry[]
  /** By this process's own clock. */
  at: number
}

/** The records of one send for one partition. */
interface Batch {
  topic: string
  partition: number
  place: string
  bytes: number
  messages: Entry[]
}

/** The brokers know a producer by its id and its batches by their numbers, so they write a repeated batch only once. */
interface Producer {
  id: unknown
  epoch: number
  /** The number of the next message, by topic and partition. */
  next: Map<string, number>
}

/** Keeps a batch of one partition below the broker's 1 MB even if gzip saves nothing. */
const sendBytes = 1_000_000
/** The most bytes that a record needs beside its key and value, with the header of a trace. */
const overheadBytes = 120
/** Smaller batches are sent uncompressed: passing one to the thread that compresses costs more than sending it. */
const compressedBytes = 100_000
/** The time that a broker waits for its followers. It must answer before the log takes it for dead. */
const followersMs = 1000

/**
 * After one of these errors the broker has forgotten the producer, or takes it for another one. A new producer can
 * continue.
 */
const producerLost = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'UNKNOWN_PRODUCER_ID',
])

export class KafkaSender {
  readonly #brokers: KafkaBrokers
  readonly #timeoutMs: number
  readonly #sends = new GroupCommit<Append>(sendBytes, appends => this.#send(appends))
  #producer: Producer | undefined

  /** An append rejects without an acknowledgement within `timeoutMs`. */
  constructor(brokers: KafkaBrokers, timeoutMs: number) {
    this.#brokers = brokers
    this.#timeoutMs = timeoutMs
  }

  async append(topic: Topic, entries: readonly Entry[]): Promise<void> {
    const at = performance.now()
    const parts: Promise<void>[] = []
    for (let start = 0; start < entries.length; ) {
      let end = start
      let bytes = 0
      for (; end < entries.length; end++) {
        const size = bytesOf(entries[end] as Entry) + overheadBytes
        if (end > start && bytes + size > sendBytes) break
        bytes += size
      }
      parts.push(this.#sends.add({ topic, entries: entries.slice(start, end), at }, bytes))
      start = end
    }
    await Promise.all(parts)
  }

  async close(): Promise<void> {
    await this.#sends.drained()
    this.#brokers.close()
  }

  async #send(appends: readonly Append[]): Promise<void> {
    const topics = [...new Set(appends.map(({ topic }) => topic.name))]
    // The time that an append has waited here counts, so in a long outage nobody waits much longer than the time-out.
    const restMs = (appends[0] as Append).at + this.#timeoutMs - performance.now()
    let left: Set<Batch> | undefined
    try {
      await this.#brokers.insist(topics, restMs, async () => {
        left ??= await this.#batchesOf(appends)
        await this.#write(left)
      })
    } catch (error) {
      // The broker may still write an abandoned batch. The next one must not have the numbers of the same producer: the
      // broker would take it for a repetition, and acknowledge it without writing it.
      this.#producer = undefined
      throw error
    }
  }

  async #batchesOf(appends: readonly Append[]): Promise<Set<Batch>> {
    const batches = new Map<string, Batch>()
    for (const { topic, entries } of appends) {
      const { size } = await this.#brokers.leaders(topic.name)
      for (const entry of entries) {
        const partition = size === 1 ? 0 : partitionOf(entry.key, size)
        const place = `${topic.name} ${partition}`
        const batch = batches.get(place) ?? { topic: topic.name, partition, place, bytes: 0, messages: [] }
        batch.messages.push(entry)
        batch.bytes += bytesOf(entry)
        batches.set(place, batch)
      }
    }
    return new Set(batches.values())
  }

  /** Removes the acknowledged records. */
  async #write(left: Set<Batch>): Promise<void> {
    this.#producer ??= await this.#introduced([...left][0]?.topic as string)
    const producer = this.#producer
    const byLeader = new Map<number, Batch[]>()
    for (const batch of left) {
      const leader = (await this.#brokers.leaders(batch.topic)).get(batch.partition) as number
      byLeader.set(leader, [...(byLeader.get(leader) ?? []), batch])
    }
    const writes = [...byLeader].map(async ([leader, batches]) => {
      await this.#produce(producer, leader, batches)
      for (const batch of batches) left.delete(batch)
    })
    const refused = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected')
    if (refused?.status === 'rejected') throw refused.reason
  }

  async #produce(producer: Producer, leader: number, batches: readonly Batch[]): Promise<void> {
    const bytes = batches.reduce((sum, { bytes }) => sum + bytes, 0)
    const { id, epoch, next } = producer
    try {
      await this.#brokers.ask(leader, broker =>
        broker.produce({
          acks: -1,
          timeout: followersMs,
          producerId: id,
          producerEpoch: epoch,
          compression: bytes < compressedBytes ? CompressionTypes.None : CompressionTypes.GZIP,
          topicData: batches.map(({ topic, partition, place, messages }) => ({
            topic,
            partitions: [{ partition, firstSequence: next.get(place) ?? 0, messages }],
          })),
        }),
      )
    } catch (error) {
      if (!producerLost.has(typeOf(error) ?? '')) throw error
      this.#producer = undefined
      throw new Error(`Kafka no longer knows this producer: ${(error as Error).message}`)
    }
    for (const { place, messages } of batches)
      next.set(place, ((next.get(place) ?? 0) + messages.length) % 2 ** 31)
  }

  async #introduced(topic: string): Promise<Producer> {
    const { producerId, producerEpoch } = await this.#brokers.askAny(topic, broker =>
      broker.initProducerId({ transactionTimeout: 60_000 }),
    )
    return { id: producerId, epoch: producerEpoch, next: new Map() }
  }
}
