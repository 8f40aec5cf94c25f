/** Knows which broker leads which partition, and finds the new leader when one is killed or hangs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type BrokerApi, KafkaLine } from './kafka-line.ts'
import type { Position } from './log.ts'

/** The broker that leads each partition. */
export type Leaders = ReadonlyMap<number, number>

interface Known extends Address {
  line: KafkaLine | undefined
  /** The time of its last failure to answer. For a while after that it is asked last. */
  failedAt: number
}

const distrustMs = 5000
const pauseMs = 100

export class KafkaBrokers {
  readonly #requestMs: number
  /** The key is host and port. */
  readonly #known = new Map<string, Known>()
  readonly #nodes = new Map<number, Known>()
  readonly #leaders = new Map<string, Leaders>()
  #closed = false

  /** It gives up a broker that does not answer within `requestMs`, and asks the others who leads now. */
  constructor(addresses: readonly string[], requestMs: number) {
    this.#requestMs = requestMs
    for (const address of addresses) {
      const [, host = address, port = 9092] = /^(.*):(\d+)$/.exec(address) ?? []
      this.#find({ host, port: Number(port) })
    }
  }

  async leaders(topic: string): Promise<Leaders> {
    return this.#leaders.get(topic) ?? this.refresh(topic)
  }

  /** Asks one broker after the other until one knows the leader of each partition. */
  async refresh(topic: string): Promise<Leaders> {
    const trusted = (known: Known) => performance.now() - known.failedAt > distrustMs
    const known = [...this.#known.values()].sort(() => Math.random() - 0.5)
    let problem: unknown
    for (const one of [...known.filter(trusted), ...known.filter(one => !trusted(one))])
      try {
        const { brokers, topicMetadata } = await this.#ask(one, broker => broker.metadata([topic]))
        for (const { nodeId, ...address } of brokers) this.#nodes.set(nodeId, this.#find(address))
        const partitions = topicMetadata.find(({ topic: name }) => name === topic)?.partitionMetadata ?? []
        const leaders = new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]))
        this.#leaders.set(topic, leaders)
        return leaders
      } catch (error) {
        problem = error
      }
    throw problem
  }

  /** Asks this broker. The caller should refresh if the broker is unknown or does not answer. */
  async ask<T>(node: number, question: (broker: BrokerApi) => Promise<T>, waitMs = 0): Promise<T> {
    const known = this.#nodes.get(node)
    if (!known) throw new Error(`no broker ${node} is known`)
    return this.#ask(known, question, waitMs)
  }

  /** Asks any broker. */
  async askAny<T>(topic: string, question: (broker: BrokerApi) => Promise<T>): Promise<T> {
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
      }
      await sleep(pauseMs)
      for (const topic of topics) await this.refresh(topic).catch(onError)
    }
  }

  async bounds(topic: string, ms: number): Promise<{ begin: Position; end: Position }> {
    return this.insist([topic], ms, async () => {
      const [begin, end] = await Promise.all([this.#offsets(topic, -2), this.#offsets(topic, -1)])
      return { begin, end }
    })
  }

  close(): void {
    this.#closed = true
    for (const { line } of this.#known.values()) line?.cut()
  }

  async #offsets(topic: string, timestamp: number): Promise<Position> {
    const leaders = await this.leaders(topic)
    const parts = [...partitionsByLeader(leaders)].map(async ([node, partitions]) => {
      const asked = { topic, partitions: partitions.map(partition => ({ partition, timestamp })) }
      const { responses } = await this.ask(node, broker => broker.listOffsets({ topics: [asked] }))
      return responses.flatMap(({ partitions }) => partitions)
    })
    const offsets = (await Promise.all(parts)).flat()
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  async #ask<T>(known: Known, question: (broker: BrokerApi) => Promise<T>, waitMs = 0): Promise<T> {
    if (this.#closed) throw new Error('the log is closed')
    known.line ??= new KafkaLine(known, this.#requestMs)
    const { line } = known
    try {
      return await line.ask(this.#requestMs + waitMs, question)
    } catch (error) {
      // A broker that answers with an error is alive.
      if (typeOf(error) === undefined) {
        known.failedAt = performance.now()
        if (known.line === line) known.line = undefined
        line.cut()
      }
      throw error
    }
  }

  #find({ host, port }: Address): Known {
    const name = `${host}:${port}`
    const known = this.#known.get(name) ?? { host, port, line: undefined, failedAt: -Infinity }
    this.#known.set(name, known)
    return known
  }
}

export function partitionsByLeader(leaders: Leaders): Map<number, number[]> {
  const byLeader = new Map<number, number[]>()
  for (const [partition, leader] of leaders)
    byLeader.set(leader, [...(byLeader.get(leader) ?? []), partition])
  return byLeader
}

/** The broker's code for its refusal. Undefined: it gave none. */
export const typeOf = (error: unknown) => (error as { type?: string }).type

/** Whether the next try would get the same answer. */
const isFinal = (error: unknown) =>
  typeOf(error) !== undefined && (error as { retriable?: boolean }).retriable === false
