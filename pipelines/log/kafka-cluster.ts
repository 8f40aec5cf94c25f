/** Asks a Kafka cluster about its topics and about the progress of groups. */
import type { Topic } from '../../schemas/dataset.ts'
import { settingsOf, type TopicSettings } from './kafka-topics.ts'
import type { Position } from './log.ts'

/** The part of a kafkajs admin that this file uses. */
export interface Admin {
  connect(): Promise<void>
  disconnect(): Promise<void>
  describeCluster(): Promise<{ brokers: unknown[] }>
  listTopics(): Promise<string[]>
  createTopics(wanted: { waitForLeaders: boolean; topics: TopicSettings[] }): Promise<boolean>
  fetchOffsets(asked: {
    groupId: string
    topics: string[]
  }): Promise<{ partitions: { partition: number; offset: string }[] }[]>
}

export class KafkaCluster {
  readonly #admin: Admin
  readonly #askMs: number

  /** A question rejects if nobody answers it within `askMs`. */
  constructor(admin: Admin, askMs: number) {
    this.#admin = admin
    this.#askMs = askMs
  }

  async connect(brokers: readonly string[], startMs: number): Promise<void> {
    await insisted(startMs, () => this.#admin.connect()).catch(error => {
      throw new Error(`no Kafka broker answers at ${brokers.join(', ')}: ${(error as Error).message}`)
    })
  }

  /** Creates the missing topics. It does not change existing ones, because their operator may have set them up. */
  async create(topics: readonly Topic[]): Promise<void> {
    const missing = await this.#missing(topics)
    if (missing.length === 0) return
    const { brokers } = await this.#admin.describeCluster()
    const settings = missing.map(topic => settingsOf(topic, brokers.length))
    await this.#admin.createTopics({ waitForLeaders: false, topics: settings })
  }

  async find(topics: readonly Topic[]): Promise<void> {
    const [missing] = await this.#missing(topics)
    if (missing) throw new Error(`the log has no topic ${missing.name}`)
  }

  async #missing(topics: readonly Topic[]): Promise<Topic[]> {
    const known = new Set(await this.#admin.listTopics())
    return topics.filter(({ name }) => !known.has(name))
  }

  async lag(
    topic: Topic,
    groupId: string,
    { begin, end }: { begin: Position; end: Position },
  ): Promise<number> {
    const [committed] = await insisted(this.#askMs, () =>
      this.#admin.fetchOffsets({ groupId, topics: [topic.name] }),
    )
    let lag = 0n
    for (const { partition, offset } of committed?.partitions ?? []) {
      const oldest = begin.get(partition) ?? 0n
      lag += (end.get(partition) ?? 0n) - (BigInt(offset) > oldest ? BigInt(offset) : oldest)
    }
    return Number(lag)
  }

  async close(): Promise<void> {
    await this.#admin.disconnect()
  }
}

/** A new topic, or one whose leader moves, answers nobody for a moment, and kafkajs alone would give up at once. */
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
