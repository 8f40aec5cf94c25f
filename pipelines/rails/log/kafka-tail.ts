/** Reads along in a Kafka topic, each partition from its leader. It joins no group, so no group must recover first. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type KafkaBrokers, type Leaders, partitionsByLeader, typeOf, uncommitted } from './kafka-brokers.ts'
import { received } from './kafka-reader.ts'
import type { Fetched } from './kafkajs-inside.ts'
import { batchEnd, batchLimits, type Handle, type LogPosition, type Received, type Watching } from './log.ts'
import { ReadProgress } from './progress.ts'

type Answered = Fetched['responses'][number]['partitions'][number]

interface Tailing {
  topic: string
  handle: Handle
  brokers: KafkaBrokers
  /** Returns where to begin, and where the topic ends now. */
  begin: LogPosition
  end: LogPosition
  /** Hears of every error that the tail survives. */
  onError(error: unknown): void
  onEnd(tail: KafkaTail, error?: unknown): void
}

/** A broker answers after this time if nothing is new, and at once when a record arrives. */
const waitMs = 500
const pauseMs = 100
/**
 * After a fetch without an answer the next one waits longer. A start reads all topics at once, and on a busy machine each of them would
 * ask for the same megabytes again and again.
 */
const mostPatienceMs = 4_000
/** If the brokers cannot answer about a topic, the tail asks until it is closed. */
const forMs = Infinity

export class KafkaTail implements Watching {
  readonly ended: Promise<void>
  readonly caughtUp: Promise<void>
  readonly #tailing: Tailing
  readonly #progress = new ReadProgress()
  /** One per broker. */
  readonly #reading = new Map<number, Promise<void>>()
  /** Partitions that had no room in the last answer. */
  readonly #left = new Set<number>()
  #leaders: Leaders = new Map()
  #moved = Promise.withResolvers<void>()
  /** The tail handles one batch at a time. */
  #handling: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | undefined
  #closing = false
  #patienceMs = waitMs

  constructor(tailing: Tailing) {
    this.#tailing = tailing
    for (const [partition, offset] of tailing.begin) this.#progress.advance(partition, offset)
    this.caughtUp = this.reached(tailing.end)
    this.ended = this.#run()
    // A later `await` still gets the rejection. `onEnd` has already heard of it.
    this.caughtUp.catch(() => {})
    this.ended.catch(() => {})
  }

  reached(position: LogPosition): Promise<void> {
    return this.#progress.reached(position)
  }

  async close(): Promise<void> {
    this.#stop()
    await this.ended.catch(() => {})
  }

  get #isOver(): boolean {
    return this.#closing || this.#failure !== undefined
  }

  #stop(): void {
    this.#closing = true
    this.#tailing.brokers.close()
    this.#moved.resolve()
  }

  async #run(): Promise<void> {
    // The call that made the tail returns before the first record arrives.
    await new Promise(resolve => setImmediate(resolve))
    while (!this.#isOver) {
      this.#moved = Promise.withResolvers()
      if (this.#leaders.size === 0) await this.#findLeaders()
      for (const leader of new Set(this.#leaders.values()))
        if (!this.#reading.has(leader)) this.#reading.set(leader, this.#readFrom(leader))
      await this.#moved.promise
    }
    await Promise.all(this.#reading.values())
    const { onEnd } = this.#tailing
    this.#stop()
    this.#progress.end(this.#failure?.error ?? new Error('the reader is closed'))
    onEnd(this, this.#failure?.error)
    if (this.#failure) throw this.#failure.error
  }

  /** Reads the partitions that this broker leads, until it leads none or fails. */
  async #readFrom(leader: number): Promise<void> {
    try {
      while (!this.#isOver) {
        const partitions = partitionsByLeader(this.#leaders).get(leader)
        if (!partitions) break
        const asked = new Map(this.#inTurn(partitions).map(each => [each, this.#progress.at(each)]))
        const { responses } = await this.#fetch(leader, asked)
        this.#patienceMs = waitMs
        await this.#takeAll(
          asked,
          responses.flatMap(({ partitions }) => partitions),
        )
      }
    } catch (error) {
      if (!this.#isOver) {
        this.#tailing.onError(error)
        this.#patienceMs = Math.min(2 * this.#patienceMs, mostPatienceMs)
        if (typeOf(error) === 'OFFSET_OUT_OF_RANGE') await this.#skipDropped()
        await sleep(pauseMs)
        await this.#findLeaders()
      }
    }
    this.#reading.delete(leader)
    this.#moved.resolve()
  }

  /** What had no room in the last answer is asked for alone: at least one of them gets its records, or has none. */
  #inTurn(partitions: readonly number[]): readonly number[] {
    const left = partitions.filter(partition => this.#left.has(partition))
    return left.length ? left : partitions
  }

  /**
   * A broker fills its answer in an order of its own. Behind a partition with records, one without any may have had no room; before it,
   * there are none, for a broker gives at least one record.
   */
  async #takeAll(asked: LogPosition, answers: readonly Answered[]): Promise<void> {
    let isFilled = false
    for (const answered of answers) {
      const { partition, messages, highWatermark } = answered
      const offset = asked.get(partition) as bigint
      const isLeft = isFilled && messages.length === 0 && offset < BigInt(highWatermark)
      if (isLeft) this.#left.add(partition)
      else this.#left.delete(partition)
      isFilled ||= messages.length > 0
      if (!isLeft) await this.#take(answered, offset)
    }
  }

  #fetch(leader: number, asked: LogPosition): Promise<Fetched> {
    const { brokers, topic } = this.#tailing
    const maxBytes = batchLimits.bytes
    const partitions = [...asked].map(([partition, offset]) => ({
      partition,
      fetchOffset: `${offset}`,
      maxBytes,
    }))
    const request = {
      isolationLevel: uncommitted,
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes: 4 * maxBytes,
      topics: [{ topic, partitions }],
    }
    return brokers.ask(leader, broker => broker.fetch(request), this.#patienceMs)
  }

  /** Hands over new records in batches. It asks for the next ones after that, which bounds the memory. */
  async #take({ partition, highWatermark, messages }: Answered, asked: bigint): Promise<void> {
    // Compaction may leave no record before the end, and the last one may be a mark of Kafka. No record shows that the tail
    // has come so far.
    const last = messages.at(-1)
    const next = last ? BigInt(last.offset) + 1n : BigInt(highWatermark)
    const records = messages
      .filter(({ offset, isControlRecord }) => !isControlRecord && BigInt(offset) >= asked)
      .map(message => received(this.#tailing.topic, partition, message))
    for (let start = 0; start < records.length; ) {
      const end = batchEnd(records, start)
      const batch = records.slice(start, end)
      this.#handling = this.#handling.then(() => this.#handle(partition, batch))
      await this.#handling
      start = end
    }
    if (!this.#isOver) this.#progress.advance(partition, next)
  }

  async #handle(partition: number, batch: readonly Received[]): Promise<void> {
    // A partition that moves may be read from its old and its new leader at once.
    const fresh = batch.filter(({ offset }) => offset >= this.#progress.at(partition))
    const last = fresh.at(-1)
    if (this.#isOver || !last) return
    try {
      await this.#tailing.handle(fresh)
      this.#progress.advance(partition, last.offset + 1n)
    } catch (error) {
      this.#failure = { error }
      this.#moved.resolve()
    }
  }

  /** Skips records that Kafka dropped for their age before the tail read them. A tail is never ahead of its topic. */
  async #skipDropped(): Promise<void> {
    const { brokers, topic } = this.#tailing
    const { begin, end } = await brokers.bounds(topic, forMs)
    for (const [partition, offset] of begin) {
      if (this.#progress.at(partition) > (end.get(partition) ?? offset))
        this.#failure = { error: new Error(`${topic}: Kafka has lost records that were read here`) }
      this.#progress.advance(partition, offset)
    }
  }

  async #findLeaders(): Promise<void> {
    const { brokers, topic, onError } = this.#tailing
    try {
      this.#leaders = await brokers.insist([], forMs, () => brokers.refresh(topic), onError)
    } catch (error) {
      if (!this.#isOver) this.#failure = { error }
    }
  }
}
