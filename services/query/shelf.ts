/** Holds views in memory. Answers from them wait for no database. */
import type { Log, Received, Watching } from '../../pipelines/rails/log/log.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import { type Dataset, keyText, readEvent, type View } from '../../schemas/dataset/dataset.ts'
import { sourceNow } from '../../schemas/source-ticks.ts'
import { Failure } from '../offer/errors.ts'
import type { Held } from '../offer/operation.ts'

class HeldView<Row> implements Held<Row> {
  readonly #rows = new Map<string, Row>()
  readonly #built = new Map<string, { value: unknown; until: number }>()
  readonly #now: () => number
  #newestKey: string | undefined
  polledAt: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  get(...key: (string | number)[]): Row | undefined {
    return this.#rows.get(keyText(...key))
  }

  rows(): Iterable<Row> {
    return this.#rows.values()
  }

  get size(): number {
    return this.#rows.size
  }

  get newest(): Row | undefined {
    return this.#newestKey === undefined ? undefined : this.#rows.get(this.#newestKey)
  }

  put(key: string, row: Row | undefined): void {
    if (row === undefined) this.#rows.delete(key)
    else this.#rows.set(key, row)
    if (row === undefined && key === this.#newestKey) this.#newestKey = [...this.#rows.keys()].sort().at(-1)
    else if (row !== undefined && (this.#newestKey === undefined || key > this.#newestKey))
      this.#newestKey = key
    this.#built.clear()
  }

  once<T>(name: string, build: (held: Held<Row>) => { value: T; until?: number }): T {
    const kept = this.#built.get(name)
    if (kept && this.#now() < kept.until) return kept.value as T
    const { value, until = Number.POSITIVE_INFINITY } = build(this)
    this.#built.set(name, { value, until })
    return value
  }
}

export class Shelf implements Running {
  readonly #views = new Map<string, HeldView<unknown>>()
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

  take(dataset: Dataset, batch: readonly Pick<Received, 'key' | 'value'>[]): void {
    for (const { key, value } of batch) {
      const { event, reason } = value === null ? {} : readEvent(dataset, value)
      // The sink writes an invalid event to `rejects`. Here it is only left out.
      if (reason !== undefined) continue
      for (const view of dataset.views) if (view.held) this.#held(view).put(key, event)
    }
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

  /** Returns a view even if it is stale: for /health, never for an answer. */
  peek<Row, Asked>(view: View<Row, Asked>): Held<Row> {
    return this.#held(view) as HeldView<Row>
  }

  /** The time of the last good poll of a source, in ms. */
  polledAt(source: string): number | undefined {
    const tick = (this.#held(sourceNow) as HeldView<{ good_at: string | null }>).get(source)
    return tick?.good_at ? Date.parse(tick.good_at) : undefined
  }

  async close(): Promise<void> {
    await Promise.all(this.#watching.map(watching => watching.close()))
  }

  #held(view: View): HeldView<unknown> {
    let held = this.#views.get(view.name)
    if (!held) {
      held = new HeldView(this.#now)
      this.#views.set(view.name, held)
    }
    return held
  }
}
