/** Appends to Kafka, one send at a time. What arrives meanwhile goes with the next one. */
import type { Topic } from '../../schemas/dataset.ts'
import { GroupCommit } from './group-commit.ts'
import { bytesOf, type Entry } from './log.ts'

export interface Append {
  topic: Topic
  entries: readonly Entry[]
}

interface Outcome {
  topicName: string
  partition: number
  errorCode: number
}

/** The part of a kafkajs producer that is used. */
export interface Producer {
  connect(): Promise<void>
  disconnect(): Promise<void>
  sendBatch(batch: { topicMessages: { topic: string; messages: Entry[] }[] }): Promise<Outcome[]>
}

/** A record batch of one partition stays below the broker's 1 MB even where gzip saves nothing. */
const sendBytes = 1_000_000
/** A record takes at most so much beside its key and value. */
const overheadBytes = 32

export type SentTo = (topic: string, partition: number) => void

export class KafkaSender {
  readonly #make: (sentTo: SentTo) => Producer
  readonly #timeoutMs: number
  readonly #sends = new GroupCommit<Append>(sendBytes, appends => this.#send(appends))
  #expected = new Set<string>()
  #producer: Promise<Producer> | undefined

  /** `make` gets a function, and calls it with each partition that a record goes to. */
  constructor(timeoutMs: number, make: (sentTo: SentTo) => Producer) {
    this.#timeoutMs = timeoutMs
    this.#make = make
  }

  async append(topic: Topic, entries: readonly Entry[]): Promise<void> {
    const parts: Promise<void>[] = []
    for (let start = 0; start < entries.length; ) {
      let end = start
      let bytes = 0
      for (; end < entries.length; end++) {
        const size = bytesOf(entries[end] as Entry) + overheadBytes
        if (end > start && bytes + size > sendBytes) break
        bytes += size
      }
      parts.push(this.#sends.add({ topic, entries: entries.slice(start, end) }, bytes))
      start = end
    }
    await Promise.all(parts)
  }

  async close(): Promise<void> {
    await this.#sends.drained()
    await this.#discard()
  }

  async #send(appends: readonly Append[]): Promise<void> {
    try {
      await within(this.#timeoutMs, this.#sendWith(appends))
    } catch (error) {
      // The broker may still take what was given up here. The next batch must not have the sequence numbers of the
      // same producer: the broker would take it for a repetition and acknowledge it without writing it.
      void this.#discard()
      throw error
    }
  }

  async #sendWith(appends: readonly Append[]): Promise<void> {
    const messages = new Map<string, Entry[]>()
    for (const { topic, entries } of appends)
      messages.set(topic.name, [...(messages.get(topic.name) ?? []), ...entries])
    const topicMessages = [...messages].map(([topic, messages]) => ({ topic, messages }))
    this.#producer ??= this.#connect()
    const producer = await this.#producer
    this.#expected = new Set()
    const outcomes = await producer.sendBatch({ topicMessages })
    // kafkajs resolves without having sent to a partition whose leader moved between two of its tries.
    const written = new Set(outcomes.map(({ topicName, partition }) => `${topicName} ${partition}`))
    for (const place of this.#expected)
      if (!written.has(place)) throw new Error(`Kafka acknowledged nothing for ${place}`)
  }

  async #connect(): Promise<Producer> {
    const producer = this.#make((topic, partition) => this.#expected.add(`${topic} ${partition}`))
    await producer.connect()
    return producer
  }

  /** A producer that cannot be ended cleanly is of no use to anybody. */
  async #discard(): Promise<void> {
    const producer = this.#producer
    this.#producer = undefined
    await producer?.then(producer => producer.disconnect()).catch(() => {})
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`Kafka acknowledged nothing within ${ms} ms`)), ms)
  work.catch(() => {})
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
