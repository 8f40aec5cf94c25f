/** Holds views in memory. Answers from them wait for no database. */
import { readRecord } from '../../pipelines/rails/log/events.ts'
import type { Log, Received, Watching } from '../../pipelines/rails/log/log.ts'
import { Newest } from '../../pipelines/rails/log/order.ts'
import { metrics } from '../../pipelines/rails/metrics.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import type { Dataset, View } from '../../schemas/dataset/dataset.ts'
import { type SourceTick, sourceNow } from '../../schemas/source-ticks.ts'
import { Failure } from '../offer/errors.ts'
import type { Held } from '../offer/operation.ts'
import { HeldView, unread } from './held-view.ts'

/** A record of the log, with its place there. */
type Told = Pick<Received, 'key' | 'value' | 'partition' | 'offset' | 'at'>

function isKeyOf(dataset: Dataset, value: string | null, key: string): boolean {
  try {
    return dataset.keyOf(JSON.parse(value ?? '')) === key
  } catch {
    // Whoever may write the topic writes anything. What has no key is no event of any version.
    return false
  }
}

/** An event under the key of another would take the place of its row. */
function readOwn(dataset: Dataset, record: Told): ReturnType<typeof readRecord> {
  const { event, reason } = readRecord(dataset, record)
  return event && dataset.keyOf(event) !== record.key ? { reason: 'its key is another' } : { event, reason }
}

export class Shelf implements Running {
  readonly #views = new Map<string, HeldView<unknown>>()
  /** By topic. */
  readonly #newest = new Map<string, Newest>()
  readonly #now: () => number
  #watching: Watching[] = []
  #ready = false

  constructor(now: () => number) {
    this.#now = now
  }

  static async open(log: Log, datasets: readonly Dataset[], now: () => number): Promise<Shelf> {
    const shelf = new Shelf(now)
    await shelf.stock(log, datasets)
    return shelf
  }

  /** Reads the topic of every held view from the beginning and follows it. Resolves once all views have caught up. */
  async stock(log: Log, datasets: readonly Dataset[]): Promise<void> {
    const held = datasets.filter(dataset => dataset.views.some(view => view.held))
    this.#watching = await Promise.all(
      held.map(dataset => log.watch(dataset.topic, batch => this.take(dataset, batch))),
    )
    await Promise.all(this.#watching.map(watching => watching.caughtUp))
    this.#ready = true
  }

  /** Rejects as soon as reading a topic fails for good. */
  get ended(): Promise<unknown> {
    return Promise.all(this.#watching.map(watching => watching.ended))
  }

  get ready(): boolean {
    return this.#ready
  }

  take(dataset: Dataset, batch: readonly Told[]): void {
    const { name } = dataset.topic
    const newest = this.#newest.get(name) ?? new Newest()
    this.#newest.set(name, newest)
    for (const record of batch) {
      if (!newest.takes(record)) continue
      const { event, reason } = readOwn(dataset, record)
      // The sink writes an invalid event to `rejects`. Here its key is stale: the event may be that of a newer version.
      if (reason !== undefined) metrics.unreadEvents.inc({ topic: name })
      for (const view of dataset.views)
        if (view.held && (reason === undefined || this.#hides(dataset, view, record)))
          this.#held(view).put(record.key, reason === undefined ? event : unread)
    }
  }

  /** Does what cannot be read stand for a row? Under a key that is not its own, and that has no row, it is nobody's event. */
  #hides(dataset: Dataset, view: View, { key, value }: Told): boolean {
    return (
      isKeyOf(dataset, value, key) ||
      this.#held(view).readableOf(key) !== undefined ||
      this.#held(view).isUnread(key)
    )
  }

  view<Row, Asked>(view: View<Row, Asked>, asked: Asked): Held<Row> {
    const held = this.#held(view) as HeldView<Row>
    held.polledAt = view.source === undefined ? undefined : this.polledAt(view.source)
    if (view.required && held.size === 0 && held.polledAt === undefined)
      throw new Failure('not_ready', `${view.name} is not loaded yet`, { 'Retry-After': '5' })
    if (!view.fresh({ now: this.#now(), polledAt: held.polledAt, newest: held.newest, asked }))
      throw new Failure('stale_data', `${view.name} is older than we promise`, {
        'Retry-After': '30',
      })
    return held
  }

  /** Returns the rows of a view even if it is stale: for /health, never for an answer. */
  peek<Row, Asked>(view: View<Row, Asked>): Iterable<Row> {
    return (this.#held(view) as HeldView<Row>).readable()
  }

  /** The time of the last good poll of a source, in ms. */
  polledAt(source: string): number | undefined {
    const tick = (this.#held(sourceNow) as HeldView<SourceTick>).readableOf(source)
    return tick?.good_at ? Date.parse(tick.good_at) : undefined
  }

  async close(): Promise<void> {
    await Promise.all(this.#watching.map(watching => watching.close()))
  }

  #held(view: View): HeldView<unknown> {
    let held = this.#views.get(view.name)
    if (!held) {
      held = new HeldView(view.name, this.#now)
      this.#views.set(view.name, held)
    }
    return held
  }
}
