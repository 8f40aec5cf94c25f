/** Knows which broker leads which partition, and finds the new leader when one is killed or hangs. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { KafkaAccess } from './kafka-access.ts'
import { type BrokerAddress, KafkaLine } from './kafka-line.ts'
import { BrokerRefusal, refusalOf } from './kafka-refusal.ts'
import type { Broker, Metadata } from './kafkajs-inside.ts'
import type { LogPosition } from './log.ts'

/** The broker that leads each partition. */
export type Leaders = ReadonlyMap<number, number>

interface Known extends BrokerAddress {
  line: KafkaLine | undefined
  /** The time of its last failure to answer. For a while after that it is asked last. */
  failedAt: number
  answeredAt: number
}

/** Nobody here writes in transactions: one that somebody else leaves open must hold up no reader. */
export const uncommitted = 0
const distrustMs = 5000
const pauseMs = 100
const refusedPauseMs = 2000

export class KafkaBrokers {
  readonly #access: KafkaAccess
  readonly #requestMs: number
  /** The key is host and port. */
  readonly #known = new Map<string, Known>()
  readonly #nodes = new Map<number, Known>()
  readonly #leaders = new Map<string, Leaders>()
  #closed = false

  /** It gives up on a broker that does not answer within `requestMs`, and asks the others for the new leader. */
  constructor(access: KafkaAccess, requestMs: number) {
    this.#access = access
    this.#requestMs = requestMs
    for (const address of access.brokers) {
      const [, host = address, port = 9092] = /^(.*):(\d+)$/.exec(address) ?? []
      this.#find({ host, port: Number(port) })
    }
  }

  /**
   * The addresses to begin with: the given ones that answer, the most recent one first. kafkajs waits for ever for a
   * first broker that accepts the connection and never answers.
   */
  get addresses(): string[] {
    const given = new Set(this.#access.brokers)
    const known = [...this.#known].filter(([name]) => given.has(name))
    const answering = known
      .filter(([, { answeredAt, failedAt }]) => answeredAt > failedAt)
      .sort(([, one], [, other]) => other.answeredAt - one.answeredAt)
    return (answering.length ? answering : known).map(([name]) => name)
  }

  /** Resolves once a broker answers. Rejects at once if the brokers that answer will never accept this process. */
  async greet(ms: number, onError: (error: unknown) => void): Promise<void> {
    const deadline = performance.now() + ms
    for (;;) {
      // All at once, so that a broker that hangs keeps nobody waiting.
      const asked = [...this.#known.values()].map(one => this.#ask(one, broker => broker.metadata([])))
      try {
        await Promise.any(asked)
        return
      } catch (error) {
        const { errors } = error as AggregateError
        for (const problem of errors) if (problem instanceof BrokerRefusal) throw problem
        if (performance.now() > deadline) {
          const all = this.#access.brokers.join(', ')
          throw new Error(`no Kafka broker answers at ${all}: ${(errors[0] as Error).message}`)
        }
        onError(errors[0])
      }
      await sleep(pauseMs)
    }
  }

  async leaders(topic: string): Promise<Leaders> {
    return this.#leaders.get(topic) ?? this.refresh(topic)
  }

  async refresh(topic: string): Promise<Leaders> {
    const { brokers, topicMetadata } = await this.metadata([topic])
    for (const { nodeId, ...address } of brokers) this.#nodes.set(nodeId, this.#find(address))
    const partitions = topicMetadata.find(({ topic: name }) => name === topic)?.partitionMetadata ?? []
    const leaders = new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]))
    this.#leaders.set(topic, leaders)
    return leaders
  }

  /** Asks one broker after the other until one knows the leader of each partition. */
  async metadata(topics: string[]): Promise<Metadata> {
    const known = [...this.#known.values()].sort(() => Math.random() - 0.5)
    let problem: unknown
    for (const one of trustedFirst(known))
      try {
        return await this.#ask(one, broker => broker.metadata(topics))
      } catch (error) {
        problem = error
      }
    throw problem
  }

  /** Asks this broker. The caller should refresh if the broker is unknown or does not answer. */
  async ask<T>(node: number, question: (broker: Broker) => Promise<T>, waitMs = 0): Promise<T> {
    const known = this.#nodes.get(node)
    if (!known) throw new Error(`no broker ${node} is known`)
    return this.#ask(known, question, waitMs)
  }

  /** Asks any broker. */
  async askAny<T>(topic: string, question: (broker: Broker) => Promise<T>): Promise<T> {
    const [node] = (await this.leaders(topic)).values()
    return this.ask(node as number, question)
  }

  /** Tries until it works, `ms` have passed, or another try cannot help. It looks up the leaders between two tries. */
  async insist<T>(
    topics: readonly string[],
    ms: number,
    attempt: () => Promise<T>,
    onError: (error: unknown) => void = () => {},
  ): Promise<T> {
    const deadline = performance.now() + ms
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (this.#closed || performance.now() > deadline || isFinal(error)) throw error
        onError(error)
        // A refused login may be accepted later, but must not be tried all the time.
        if (error instanceof BrokerRefusal) await sleep(refusedPauseMs)
      }
      await sleep(pauseMs)
      for (const topic of topics) await this.refresh(topic).catch(onError)
    }
  }

  async bounds(topic: string, ms: number): Promise<{ begin: LogPosition; end: LogPosition }> {
    return this.insist([topic], ms, async () => {
      const [begin, end] = await Promise.all([this.#offsets(topic, -2), this.#offsets(topic, -1)])
      return { begin, end }
    })
  }

  close(): void {
    this.#closed = true
    for (const { line } of this.#known.values()) line?.cut()
  }

  async #offsets(topic: string, timestamp: number): Promise<LogPosition> {
    const leaders = await this.leaders(topic)
    const parts = [...partitionsByLeader(leaders)].map(async ([node, partitions]) => {
      const asked = { topic, partitions: partitions.map(partition => ({ partition, timestamp })) }
      const { responses } = await this.ask(node, broker =>
        broker.listOffsets({ isolationLevel: uncommitted, topics: [asked] }),
      )
      return responses.flatMap(({ partitions }) => partitions)
    })
    const offsets = (await Promise.all(parts)).flat()
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  async #ask<T>(known: Known, question: (broker: Broker) => Promise<T>, waitMs = 0): Promise<T> {
    if (this.#closed) throw new Error('the log is closed')
    known.line ??= new KafkaLine(known, this.#access, this.#requestMs)
    const { line } = known
    try {
      const answer = await line.ask(this.#requestMs + waitMs, question)
      known.answeredAt = performance.now()
      return answer
    } catch (error) {
      // A broker that answers with an error is alive.
      if (typeOf(error) === undefined) {
        known.failedAt = performance.now()
        if (known.line === line) known.line = undefined
        line.cut()
      }
      throw refusalOf(`${known.host}:${known.port}`, error, this.#access.sasl?.mechanism) ?? error
    }
  }

  #find({ host, port }: BrokerAddress): Known {
    const name = `${host}:${port}`
    const known = this.#known.get(name) ?? {
      host,
      port,
      line: undefined,
      failedAt: -Infinity,
      answeredAt: -Infinity,
    }
    this.#known.set(name, known)
    return known
  }
}

/** A broker that has failed is asked last for a while. */
function trustedFirst(known: readonly Known[]): Known[] {
  const trusted = ({ failedAt }: Known) => performance.now() - failedAt > distrustMs
  return [...known.filter(trusted), ...known.filter(one => !trusted(one))]
}

export function partitionsByLeader(leaders: Leaders): Map<number, number[]> {
  const byLeader = new Map<number, number[]>()
  for (const [partition, leader] of leaders)
    byLeader.set(leader, [...(byLeader.get(leader) ?? []), partition])
  return byLeader
}

/** The broker's code for its refusal. Undefined if it gave none. */
export const typeOf = (error: unknown) => (error as { type?: string }).type

/** Whether the next try would get the same answer. */
const isFinal = (error: unknown) =>
  typeOf(error) !== undefined && (error as { retriable?: boolean }).retriable === false
