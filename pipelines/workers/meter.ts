/**
 * Turns settlements into metrics. It counts sales from the log, not in the process that made them. Exactly one
 * process counts, and records in the log how much its pages have shown. The next process continues from there: after
 * a kill or an absence, every sale appears on a page of metrics once.
 */
import { rejects } from '../../schemas/rejects.ts'
import { salesCounted } from '../../schemas/sales-counted.ts'
import { type SettlementEvent, settlementState, settlements } from '../../schemas/settlements.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { networkVariables, type OpenNetwork } from '../domains/payments/variables.ts'
import { Bounded } from '../rails/bounded.ts'
import { eventsIn, newestNow } from '../rails/log/events.ts'
import { entryOf, type Log, type LogPosition, type Received } from '../rails/log/log.ts'
import { type Counting, metrics, pages } from '../rails/metrics.ts'
import type { SoldOperation } from '../rails/process.ts'
import type { Running } from '../rails/running.ts'
import type { Worker } from './worker.ts'

/** The log may bring a state twice. The second time comes long before this many others. */
const rememberedStates = 200_000

interface MeterNeeds {
  log: Pick<Log, 'watch' | 'end' | 'append'>
  sold: readonly SoldOperation[]
  networks: readonly Pick<OpenNetwork, 'name'>[]
  onFailed(name: string, error: unknown): void
}

export async function startMeter({ log, sold, networks: open, onFailed }: MeterNeeds): Promise<Running> {
  beginAtZero(sold, new Set(open.map(({ name }) => networks[name].receipt)))
  const end = await log.end(settlements.topic)
  const shown = await shownBefore(log)
  // Before the first meter, nothing was counted. Counting all of it now would show a jump.
  if (!shown) await note(log, end)
  const from = shown ?? end
  const meter = new Meter(from, end)
  meter.tellLag(end)
  const watching = await log.watch(settlements.topic, batch => meter.hear(batch), { from })
  const counting: Counting = {
    before: () => {
      meter.show()
      log.end(settlements.topic).then(
        now => meter.tellLag(now),
        error => onFailed('lag', error),
      )
    },
    after: () => {
      const next = meter.newlyShown()
      if (next) note(log, next).catch(error => onFailed('position', error))
    },
  }
  pages.add(counting)
  return {
    ended: watching.ended,
    close: async () => {
      pages.delete(counting)
      await watching.close()
    },
  }
}

/** Collects settlements, and adds them to the counters when a page is made. */
class Meter {
  readonly #remembered = new Bounded<true>({ most: rememberedStates })
  readonly #next: Map<number, bigint>
  /** The end of the topic at the start. Records before it are late. */
  readonly #begun: LogPosition
  /** Sales that no page shows yet, summed by their labels. */
  readonly #fresh = new Map<string, Sum>()
  readonly #late = new Map<string, Sum>()
  /**
   * Late sales wait until a page without them was shown: Prometheus sees no increase in a counter that begins with a
   * sale.
   */
  #mayShowLate: boolean
  #shown: { text: string; next: LogPosition } | undefined
  #notedText: string
  #levelAt = performance.now()

  constructor(from: LogPosition, begun: LogPosition) {
    this.#next = new Map(from)
    this.#begun = begun
    this.#mayShowLate = [...begun].every(([partition, offset]) => (from.get(partition) ?? 0n) >= offset)
    this.#notedText = textOf(this.#next)
  }

  hear(batch: readonly Received[]): void {
    for (const { partition, offset } of batch) this.#next.set(partition, offset + 1n)
    for (const { event, record } of eventsIn(settlements, batch)) {
      const { partition, offset } = record
      const step = `${event.spend_id} ${event.state}`
      if (this.#remembered.peek(step)) continue
      this.#remembered.set(step, true)
      add(offset < (this.#begun.get(partition) ?? 0n) ? this.#late : this.#fresh, event)
    }
  }

  show(): void {
    for (const sums of this.#mayShowLate ? [this.#late, this.#fresh] : [this.#fresh]) {
      for (const { labels, count, usdc } of sums.values()) {
        const { state: _, ...sale } = labels
        metrics.settlements.inc(labels, count)
        if (usdc > 0) metrics.revenue.inc(sale, usdc)
      }
      sums.clear()
    }
    if (this.#mayShowLate) this.#shown = { text: textOf(this.#next), next: new Map(this.#next) }
    this.#mayShowLate = true
  }

  /** The position up to which the last page has counted, if it is new. */
  newlyShown(): LogPosition | undefined {
    if (!this.#shown || this.#shown.text === this.#notedText) return undefined
    this.#notedText = this.#shown.text
    return this.#shown.next
  }

  tellLag(end: LogPosition): void {
    let lag = 0n
    for (const [partition, offset] of end) lag += offset - (this.#next.get(partition) ?? 0n)
    if (lag <= 0n) this.#levelAt = performance.now()
    const labels = { topic: settlements.topic.name, group: 'meter' }
    metrics.logLag.set(labels, Number(lag))
    metrics.logLate.set(labels, lag > 0n ? (performance.now() - this.#levelAt) / 1000 : 0)
  }
}

interface Sum {
  labels: Pick<SettlementEvent, 'origin' | 'operation' | 'network' | 'state'>
  count: number
  usdc: number
}

function add(
  sums: Map<string, Sum>,
  { origin, operation, network, state, amount_usdc }: SettlementEvent,
): void {
  const name = [origin, operation, network, state].join(' ')
  const sum = sums.get(name) ?? { labels: { origin, operation, network, state }, count: 0, usdc: 0 }
  sum.count++
  if (state === 'settled') sum.usdc += Number(amount_usdc)
  sums.set(name, sum)
}

const textOf = (position: LogPosition): string => JSON.stringify(plain(position))
const plain = (position: LogPosition): Record<string, string> =>
  Object.fromEntries([...position].map(([partition, offset]) => [partition, String(offset)]))

/** The position where the previous meter stopped. Undefined if there was none. */
async function shownBefore(log: Pick<Log, 'watch'>): Promise<LogPosition | undefined> {
  const shown = (await newestNow(log, salesCounted)).get(settlements.topic.name)
  return shown && new Map(Object.entries(shown.next).map(([at, next]) => [Number(at), BigInt(next)]))
}

const note = (log: Pick<Log, 'append'>, position: LogPosition): Promise<void> =>
  log.append(salesCounted.topic, [
    entryOf(salesCounted, { topic: settlements.topic.name, next: plain(position) }),
  ])

/** Prometheus sees no increase in a counter that begins with its first sale, so every counter begins at 0. */
function beginAtZero(sold: readonly SoldOperation[], paidOn: ReadonlySet<string>): void {
  for (const { origin, operation } of sold)
    for (const network of paidOn) {
      metrics.revenue.inc({ origin, operation, network }, 0)
      for (const state of settlementState.options)
        metrics.settlements.inc({ origin, operation, network, state }, 0)
    }
}

export const meter: Worker = {
  part: 'meter',
  role: 'meter',
  reads: [settlements, salesCounted],
  writes: [salesCounted, rejects],
  variables: [networkVariables],
  open: ({ alone, read, sold, onFailed }) =>
    alone('meter', ({ log }) => startMeter({ log, sold, networks: read(networkVariables), onFailed })),
}
