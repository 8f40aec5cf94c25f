/** Asks a Kafka cluster about its topics and about the progress of groups. */
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { BrokerRefusal } from './kafka-refusal.ts'
import { renewedSettings, settingsOf, type TopicSettings } from './kafka-topics.ts'
import type { LogPosition } from './log.ts'

/** The part of a kafkajs admin that this file uses. */
interface Admin {
  connect(): Promise<void>
  disconnect(): Promise<void>
  describeCluster(): Promise<{ brokers: unknown[] }>
  listTopics(): Promise<string[]>
  createTopics(wanted: { waitForLeaders: boolean; topics: TopicSettings[] }): Promise<boolean>
  describeConfigs(asked: {
    includeSynonyms: boolean
    resources: { type: number; name: string }[]
  }): Promise<{ resources: { resourceName: string; configEntries: StandingSetting[] }[] }>
  alterConfigs(wanted: {
    validateOnly: boolean
    resources: { type: number; name: string; configEntries: TopicSettings['configEntries'] }[]
  }): Promise<unknown>
  fetchOffsets(asked: {
    groupId: string
    topics: string[]
  }): Promise<{ partitions: { partition: number; offset: string }[] }[]>
}

interface StandingSetting {
  configName: string
  configValue: string
  configSource: number
}

/** The numbers of Kafka's protocol for a topic, and for a setting that was made for one topic. */
const topicResource = 2
const madeForTopic = 1
const unreadable: ReadonlySet<string> = new Set(['lz4', 'snappy'])

export class KafkaCluster {
  readonly #open: () => Admin
  #admin: Admin
  #isClosed = false
  readonly #addresses: number
  readonly #askMs: number

  /** A question rejects if nobody answers it within `askMs`. */
  constructor(open: () => Admin, addresses: number, askMs: number) {
    this.#open = open
    this.#admin = open()
    this.#addresses = addresses
    this.#askMs = askMs
  }

  async connect(startMs: number): Promise<void> {
    await this.#insisted(startMs, () => this.#admin.connect())
  }

  /** kafkajs keeps asking a broker that hangs. So after a failure another admin begins, with a broker that answers. */
  #insisted<T>(ms: number, ask: () => Promise<T>): Promise<T> {
    return insisted(ms, async () => {
      try {
        return await ask()
      } catch (error) {
        if (this.#isClosed) throw error
        const failed = this.#admin
        this.#admin = this.#open()
        await failed.disconnect().catch(() => {})
        await this.#admin.connect().catch(() => {})
        throw error
      }
    })
  }

  /** Creates the missing topics. Existing topics keep their records as declared from now on. */
  async create(topics: readonly Topic[], startMs: number): Promise<void> {
    await this.#insisted(startMs, async () => {
      const missing = new Set(await this.#missing(topics))
      await this.#renew(topics.filter(topic => !missing.has(topic))).catch(ifAllowed)
    })
    // A slow controller may create topics after our time-out, so each try asks again for what is missing.
    await this.#insisted(startMs, async () => {
      const missing = await this.#missing(topics)
      if (missing.length === 0) return
      const { brokers } = await this.#admin.describeCluster()
      const create = (count: number) =>
        this.#admin
          .createTopics({
            waitForLeaders: false,
            topics: missing.map(topic => settingsOf(topic, count)),
          })
          .catch(error => {
            if (!isForbidden(error)) throw error
            const names = missing.map(({ name }) => name).join(', ')
            throw new Error(`this process may not create topics in Kafka, and these are missing: ${names}`)
          })
      // A broker that is down is not listed, but its copy of a new topic waits for it. Otherwise a topic that is made
      // now would have two copies for ever.
      if (this.#addresses > brokers.length && (await create(this.#addresses).then(isTrue, isTooMany))) return
      await create(brokers.length)
    })
  }

  /** Kafka replaces all settings of a topic at once, so this sends the operator's own settings again. */
  async #renew(topics: readonly Topic[]): Promise<void> {
    if (topics.length === 0) return
    const named = topics.map(({ name }) => ({ type: topicResource, name }))
    const { resources } = await this.#admin.describeConfigs({ includeSynonyms: false, resources: named })
    const standing = new Map(
      resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]),
    )
    for (const { resourceName, configEntries } of resources) mustBeReadable(resourceName, configEntries)
    const changed = topics.flatMap(topic => {
      const made = (standing.get(topic.name) ?? []).filter(
        ({ configSource }) => configSource === madeForTopic,
      )
      const configEntries = renewedSettings(
        topic,
        new Map(made.map(({ configName, configValue }) => [configName, configValue])),
      )
      return configEntries ? [{ type: topicResource, name: topic.name, configEntries }] : []
    })
    if (changed.length) await this.#admin.alterConfigs({ validateOnly: false, resources: changed })
  }

  async find(topics: readonly Topic[]): Promise<void> {
    const [missing] = await this.#missing(topics)
    if (missing) throw new Error(`the log has no topic ${missing.name}`)
  }

  async #missing(topics: readonly Topic[]): Promise<Topic[]> {
    const known = new Set(await this.#admin.listTopics())
    return topics.filter(({ name }) => !known.has(name))
  }

  async lags(
    topic: Topic,
    groupId: string,
    { begin, end }: { begin: LogPosition; end: LogPosition },
  ): Promise<ReadonlyMap<number, number>> {
    const [committed] = await this.#insisted(this.#askMs, () =>
      this.#admin.fetchOffsets({ groupId, topics: [topic.name] }),
    )
    const lags = new Map<number, number>()
    for (const { partition, offset } of committed?.partitions ?? []) {
      const oldest = begin.get(partition) ?? 0n
      const next = BigInt(offset) > oldest ? BigInt(offset) : oldest
      lags.set(partition, Number((end.get(partition) ?? 0n) - next))
    }
    return lags
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#admin.disconnect()
  }
}

function mustBeReadable(topic: string, settings: readonly StandingSetting[]): void {
  const packing = settings.find(({ configName }) => configName === 'compression.type')?.configValue ?? ''
  if (unreadable.has(packing))
    throw new BrokerRefusal(
      `the brokers pack the topic ${topic} by compression.type=${packing}, which nobody here can read: set it to producer`,
    )
}

const isTrue = () => true
/** Where a role may not create topics, the operator creates them with the declared settings. */
function ifAllowed(error: unknown): void {
  if (!isForbidden(error)) throw error
}
function isForbidden(error: unknown): boolean {
  const { type, errors = [] } = error as { type?: string; errors?: { type?: string }[] }
  const types = [type, ...errors.map(each => each.type)]
  return types.some(each => each === 'TOPIC_AUTHORIZATION_FAILED' || each === 'CLUSTER_AUTHORIZATION_FAILED')
}

/** Returns false if the cluster has fewer brokers than the list has addresses. Throws any other error. */
function isTooMany(error: unknown): boolean {
  const { errors = [] } = error as { errors?: { type?: string }[] }
  if (errors.some(({ type }) => type === 'INVALID_REPLICATION_FACTOR')) return false
  throw error
}

/** A new topic, or one whose leader moves, does not answer for a moment, and kafkajs alone would give up at once. */
export async function insisted<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof BrokerRefusal || performance.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}
