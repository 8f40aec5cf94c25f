/**
 * Views that are too large for memory. It reads their rows from the store on demand, caches them, and keeps them
 * current with the events of their topics.
 */
import type { Log, Received, Watching } from '../../pipelines/rails/log/log.ts'
import { metrics } from '../../pipelines/rails/metrics.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { type Dataset, keyText, type View } from '../../schemas/dataset/dataset.ts'
import { eventsIn } from '../../schemas/dataset/packed-events.ts'
import { Failure } from '../offer/errors.ts'
import { type CachedKey, KeyCache, type Row } from './key-cache.ts'

type Key = readonly (string | number)[]

/** From this age on rows are read again in the background, in case an event was missed. Callers still get the old rows. */
const freshMs = 60_000
/** From this age on callers wait for the new rows. */
const staleMs = 600_000
/** After this time the sink is sure to have put an event into the store. */
const sunkMs = 3_600_000
const mostBytes = 268_435_456
const mostKeys = 200_000

interface LookedUpOptions {
  store: () => Promise<Store>
  log: Log
  now: () => number
  mostBytes?: number
}

export class LookedUp implements Running {
  readonly #store: () => Promise<Store>
  readonly #log: Log
  readonly #now: () => number
  readonly #datasets = new Map<string, Dataset>()
  readonly #watching = new Map<Dataset, Watching>()
  readonly #keys: KeyCache
  /** Until when an event that cannot be read may be missing in a view. */
  readonly #unread = new Map<string, number>()

  constructor(options: LookedUpOptions) {
    this.#store = options.store
    this.#log = options.log
    this.#now = options.now
    this.#keys = new KeyCache({ mostKeys, mostBytes: options.mostBytes ?? mostBytes })
  }

  static async open(options: LookedUpOptions, datasets: readonly Dataset[]): Promise<LookedUp> {
    const lookedUp = new LookedUp(options)
    await lookedUp.follow(datasets)
    return lookedUp
  }

  async follow(datasets: readonly Dataset[]): Promise<void> {
    const looked = datasets.filter(({ views }) => views.some(view => view.looked))
    for (const dataset of looked)
      for (const view of dataset.views) if (view.looked) this.#datasets.set(view.name, dataset)
    await Promise.all(
      looked.map(async dataset => {
        const take = (batch: readonly Received[]) => this.#take(dataset, batch)
        this.#watching.set(dataset, await this.#log.watch(dataset.topic, take, { from: 'end' }))
      }),
    )
  }

  /** Rejects as soon as reading a topic fails for good. */
  get ended(): Promise<unknown> {
    return Promise.all([...this.#watching.values()].map(({ ended }) => ended))
  }

  async all<R>(view: View<R>, ...key: Key): Promise<readonly R[]> {
    const known = this.#of(this.#datasetOf(view), view, key)
    if (this.#now() < Math.max(known.unreadUntil, this.#unread.get(view.name) ?? 0))
      throw new Failure('stale_data', `${view.name} has an event that this version cannot read`, {
        'Retry-After': '30',
      })
    const kept = known.answers.get(`${view.name} ${keyText(...key)}`)
    const age = kept ? this.#now() - kept.at : staleMs
    if (kept && age < freshMs) return kept.rows as readonly R[]
    const renewed = this.#renew(view, key, known)
    if (!kept || age >= staleMs) return (await renewed) as readonly R[]
    // While the store is down, rows that are a few minutes old are still sold.
    renewed.catch(() => {})
    return kept.rows as readonly R[]
  }

  async first<R>(view: View<R>, ...key: Key): Promise<R | undefined> {
    return (await this.all(view, ...key))[0]
  }

  /** Keeps the events for this key from now on, so that an answer need not wait for the store. */
  listen(...key: Key): void {
    for (const dataset of this.#watching.keys()) {
      this.#keys.of(`${dataset.name} ${keyText(...key)}`)
      for (const view of crossing(dataset))
        if (view.looked?.by.length === key.length) this.#of(dataset, view, key)
    }
  }

  /** Resolves once this process has read every event that is in the topics now. */
  async heard(): Promise<void> {
    await Promise.all(
      [...this.#watching].map(async ([{ topic }, watching]) => watching.reached(await this.#log.end(topic))),
    )
  }

  async close(): Promise<void> {
    await Promise.all([...this.#watching.values()].map(watching => watching.close()))
  }

  #take(dataset: Dataset, batch: readonly Received[]): void {
    const views = crossing(dataset).map(view => ({ view, columns: looked(view).by }))
    for (const { key, value } of batch) {
      const own = this.#keys.get(`${dataset.name} ${key}`)
      if (value === null || (!own && !views.length)) continue
      for (const { event, newer } of eventsIn(dataset, value)) {
        if (!event) {
          this.#lose(dataset, key, views)
          continue
        }
        if (newer) metrics.newerEvents.inc({ topic: dataset.topic.name })
        this.#remember(dataset, own, event)
        for (const { view, columns } of views) {
          const place = keyText(...columns.map(column => String((event as Row)[column])))
          this.#remember(dataset, this.#keys.get(`${view.name} ${place}`), event)
        }
      }
    }
  }

  /** An event that cannot be read may be that of a newer version. What it is about is stale until the store has it. */
  #lose(dataset: Dataset, key: string, crossing: readonly { view: View }[]): void {
    metrics.unreadEvents.inc({ topic: dataset.topic.name })
    const until = this.#now() + sunkMs
    const known = this.#keys.get(`${dataset.name} ${key}`)
    if (known) known.unreadUntil = until
    // Nobody knows where in these views it belongs.
    for (const { view } of crossing) this.#unread.set(view.name, until)
  }

  #remember(dataset: Dataset, known: CachedKey | undefined, event: Row): void {
    if (!known) return
    const identity = keyText(...dataset.identity.map(column => String(event[column])))
    known.recent.set(identity, { row: event, until: this.#now() + sunkMs })
    known.changes++
    known.answers.clear()
    this.#keys.weigh(known)
  }

  /** Asks the store once for all callers who wait for the same rows. */
  #renew(view: View, key: Key, known: CachedKey): Promise<readonly Row[]> {
    const name = `${view.name} ${keyText(...key)}`
    const read = async () => {
      const { changes } = known
      const rows = await this.#read(view, key, known)
      // An event may have come during the read and may be missing in these rows. This caller may get them, but the next caller must
      // not.
      if (changes === known.changes) known.answers.set(name, { rows, at: this.#now() })
      this.#keys.weigh(known)
      return rows
    }
    let reading = known.reading.get(name)
    if (!reading) {
      reading = read().finally(() => known.reading.delete(name))
      known.reading.set(name, reading)
    }
    return reading
  }

  async #read(view: View, key: Key, known: CachedKey): Promise<readonly Row[]> {
    const { by, newestBy, most } = looked(view)
    const where = by.map(
      (column, i) => `${column} = {k${i}: ${typeof key[i] === 'number' ? 'UInt32' : 'String'}}`,
    )
    const order = newestBy.map(column => `${column} desc nulls last`)
    const tail = `where ${where.join(' and ')} ${order.length ? `order by ${order.join(', ')}` : ''} limit ${most}`
    const params = Object.fromEntries(key.map((value, i) => [`k${i}`, value]))
    const stored = await this.#ask(store => store.read<Row>(view, tail, params))
    const recent = [...known.recent].filter(([identity, { until }]) => {
      if (this.#now() < until) return true
      known.recent.delete(identity)
      return false
    })
    // The facts that came meanwhile are no rows of a view that is made anew of many.
    if (!recent.length || view.kind === 'rebuilt') return stored
    const nameOf = (row: Row) => keyText(...view.key.map(column => String(row[column])))
    const rows = new Map(stored.map(row => [nameOf(row), row]))
    const isNewer = newestFirst(view.newest)
    for (const [, { row }] of recent) {
      if (by.some((column, i) => row[column] !== key[i])) continue
      const before = rows.get(nameOf(row))
      if (!before || isNewer(row, before) <= 0) rows.set(nameOf(row), row)
    }
    return [...rows.values()].sort(newestFirst(newestBy)).slice(0, most)
  }

  async #ask<T>(question: (store: Store) => Promise<T>): Promise<T> {
    try {
      return await question(await this.#store())
    } catch {
      // While the store is down, views in memory are still sold, but these rows cannot be read.
      throw new Failure('not_ready', 'The database does not answer', { 'Retry-After': '5' })
    }
  }

  #datasetOf(view: View): Dataset {
    const dataset = this.#datasets.get(view.name)
    if (!dataset) throw new Error(`${view.name} cannot be looked up`)
    return dataset
  }

  #of(dataset: Dataset, view: View, key: Key): CachedKey {
    return this.#keys.of(
      crosses(dataset, view)
        ? `${view.name} ${keyText(...key)}`
        : `${dataset.name} ${keyText(...key.slice(0, dataset.key.length))}`,
    )
  }
}

/** Is the view looked up by other columns than the key of its topic? */
const crosses = (dataset: Dataset, { looked, kind }: View): boolean =>
  kind === 'latest' && looked !== undefined && dataset.key.some((column, i) => looked.by[i] !== column)
const crossing = (dataset: Dataset): readonly View[] => dataset.views.filter(view => crosses(dataset, view))

function looked(view: View) {
  if (!view.looked) throw new Error(`${view.name} cannot be looked up`)
  return view.looked
}

const newestFirst = (columns: readonly string[]) => (a: Row, b: Row) => {
  for (const column of columns) {
    const [left, right] = [String(a[column] ?? ''), String(b[column] ?? '')]
    if (left !== right) return left < right ? 1 : -1
  }
  return 0
}
