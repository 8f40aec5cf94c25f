/** Reads a topic of Kafka along, partition by partition from their leaders. It joins no group, so nobody has to find one again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type KafkaBrokers, type Leaders, partitionsByLeader, typeOf } from './kafka-brokers.ts'
import type { Fetched } from './kafka-line.ts'
import { received } from './kafka-reader.ts'
import { batchEnd, batchLimits, type Handle, type Position, type Received, type Watching } from './log.ts'
import { Progress } from './progress.ts'

type Answered = Fetched['responses'][number]['partitions'][number]

export interface Tailing {
  topic: string
  handle: Handle
  brokers: KafkaBrokers
  /** Where to begin, and where the topic ends now. */
  begin: Position
  end: Position
  /** Hears of every error that the tail survives. */
  onError(error: unknown): void
  onEnd(tail: KafkaTail, error?: unknown): void
}

/** A broker with nothing new answers after this time, and at once when something comes. */
const waitMs = 500
const pauseMs = 100
/** A question about a topic that many brokers cannot answer is asked until the tail is closed. */
const forMs = Infinity

export class KafkaTail implements Watching {
  readonly ended: Promise<void>
  readonly caughtUp: Promise<void>
  readonly #tailing: Tailing
  readonly #progress = new Progress()
  /** By broker. */
  readonly #reading = new Map<number, Promise<void>>()
  #leaders: Leaders = new Map()
  #moved = Promise.withResolvers<void>()
  /** One batch is handled at a time. */
  #handling: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | undefined
  #closing = false

  constructor(tailing: Tailing) {
    this.#tailing = tailing
    for (const [partition, offset] of tailing.begin) this.#progress.advance(partition, offset)
    this.caughtUp = this.reached(tailing.end)
    this.ended = this.#run()
    // Whoever awaits them later still gets the rejection. `onEnd` has heard of it at once.
    this.caughtUp.catch(() => {})
    this.ended.catch(() => {})
  }

  reached(position: Position): Promise<void> {
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
    // The call that made the tail returns before anybody is handed a record.
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

  /** Reads what this broker leads, until it leads nothing here or fails. */
  async #readFrom(leader: number): Promise<void> {
    try {
      while (!this.#isOver) {
        const partitions = partitionsByLeader(this.#leaders).get(leader)
        if (!partitions) break
        const asked = new Map(partitions.map(partition => [partition, this.#progress.at(partition)]))
        const { responses } = await this.#fetch(leader, asked)
        for (const answered of responses.flatMap(({ partitions }) => partitions))
          await this.#take(answered, asked.get(answered.partition) as bigint)
      }
    } catch (error) {
      if (!this.#isOver) {
        this.#tailing.onError(error)
        if (typeOf(error) === 'OFFSET_OUT_OF_RANGE') await this.#skipDropped()
        await sleep(pauseMs)
        await this.#findLeaders()
      }
    }
    this.#reading.delete(leader)
    this.#moved.resolve()
  }

  #fetch(leader: number, asked: Position): Promise<Fetched> {
    const { brokers, topic } = this.#tailing
    const maxBytes = batchLimits.bytes
    const partitions = [...asked].map(([partition, offset]) => ({
      partition,
      fetchOffset: `${offset}`,
      maxBytes,
    }))
    const request = {
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes: 4 * maxBytes,
      topics: [{ topic, partitions }],
    }
    return brokers.ask(leader, broker => broker.fetch(request), waitMs)
  }

  /** Hands over what is new, in batches. The next records are asked for when these are handled: that bounds the memory. */
  async #take({ partition, highWatermark, messages }: Answered, asked: bigint): Promise<void> {
    // Compaction may leave nothing up to the end. Then no record tells that the tail has come so far.
    const next = messages.length === 0 ? BigInt(highWatermark) : 0n
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
    this.#progress.advance(partition, next)
  }

  async #handle(partition: number, batch: readonly Received[]): Promise<void> {
    // A partition that moved may be read from its old leader and its new one at once.
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

  /** What was dropped by its age, before it was read here, is left out. A tail is never ahead of its topic. */
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
