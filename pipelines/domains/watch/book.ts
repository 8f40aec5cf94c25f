/** The current subscriptions, and the states of the watched endpoints, from the log. */
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { type EndpointState, endpointStates } from '../../../schemas/endpoint-states.ts'
import type { Offer } from '../../../schemas/values/offers.ts'
import { type WatchSubscription, watchSubscriptions } from '../../../schemas/watch-subscriptions.ts'
import { Bounded } from '../../rails/bounded.ts'
import { eventsIn } from '../../rails/log/events.ts'
import type { Log, Received } from '../../rails/log/log.ts'
import { Newest } from '../../rails/log/order.ts'
import type { Running } from '../../rails/running.ts'
import { endpointOf } from './url.ts'

/** An ended subscription stays for a while, because its last events may still be on their way. */
export const lastsMs = 8 * 86_400_000
const mostShared = 10_000

export class WatchBook {
  readonly subscriptions = new Map<string, WatchSubscription>()
  readonly states = new Map<string, EndpointState>()
  /** The subscriptions of each endpoint. */
  readonly #ofEndpoint = new Map<string, readonly string[]>()
  readonly #days = new Shared<EndpointState['days'][number]>()
  readonly #offers = new Shared<Offer>()
  readonly #heard: (endpoint: string) => void
  /** A topic that has got more partitions may give an old record behind a newer one of its key. */
  readonly #newest = { subscriptions: new Newest(), states: new Newest() }

  constructor(heard: (endpoint: string) => void = () => {}) {
    this.#heard = heard
  }

  /**
   * Reads the current content of the log. After that, only the reader may change the book: its own writes would come
   * back from the log too late.
   */
  static async read(log: Log, heard?: (endpoint: string) => void): Promise<WatchBook> {
    const book = new WatchBook(heard)
    const watching = await Promise.all([
      log.watch(watchSubscriptions.topic, batch => book.#hear(batch)),
      log.watch(endpointStates.topic, batch => book.#hearStates(batch)),
    ])
    await Promise.all(watching.map(each => each.caughtUp))
    await Promise.all(watching.map(each => each.close()))
    return book
  }

  /** Follows the writes of another process, without the states. */
  static async follow(log: Log): Promise<[WatchBook, Running]> {
    const book = new WatchBook()
    const watching = await log.watch(watchSubscriptions.topic, batch => book.#hear(batch))
    await watching.caughtUp
    return [book, watching]
  }

  put(row: WatchSubscription): void {
    this.subscriptions.set(row.subscription_id, row)
    if (row.what !== 'endpoint') return
    const endpoint = endpointOf(row.subject)
    this.#list(endpoint, this.#others(endpoint, row.subscription_id).concat(row.subscription_id))
  }

  drop(subscriptionId: string): void {
    const row = this.subscriptions.get(subscriptionId)
    this.subscriptions.delete(subscriptionId)
    if (row?.what !== 'endpoint') return
    const endpoint = endpointOf(row.subject)
    this.#list(endpoint, this.#others(endpoint, subscriptionId))
  }

  remember(state: EndpointState): void {
    const days = state.days.map(day => this.#days.of(day))
    const offers = state.offers.map(offer => this.#offers.of(offer))
    this.states.set(state.endpoint, { ...state, days, offers })
  }

  /** The subscriptions to an endpoint that are active at this moment. */
  watchersOf(endpoint: string, at: number): WatchSubscription[] {
    return [...(this.#ofEndpoint.get(endpoint) ?? [])]
      .map(id => this.subscriptions.get(id) as WatchSubscription)
      .filter(row => stands(row, at))
  }

  #hear(batch: readonly Received[]): void {
    for (const record of batch) {
      if (!this.#newest.subscriptions.takes(record)) continue
      const { key, value } = record
      const { event } = value === null ? {} : readEvent(watchSubscriptions, value)
      if (event) this.put(event)
      else if (value === null) this.drop(key)
    }
  }

  #hearStates(batch: readonly Received[]): void {
    const newest = batch.filter(record => this.#newest.states.takes(record))
    for (const { event } of eventsIn(endpointStates, newest)) this.remember(event)
  }

  #others(endpoint: string, subscriptionId: string): string[] {
    return (this.#ofEndpoint.get(endpoint) ?? []).filter(id => id !== subscriptionId)
  }

  #list(endpoint: string, ids: readonly string[]): void {
    if (ids.length) this.#ofEndpoint.set(endpoint, ids)
    else this.#ofEndpoint.delete(endpoint)
    this.#heard(endpoint)
  }
}

/** Stores equal values once. Most endpoints share the counts of most days, which are half of the size of a state. */
class Shared<T extends object> {
  readonly #known = new Bounded<T>({ most: mostShared })

  of(value: T): T {
    const name = Object.values(value).join(' ')
    const known = this.#known.ask(name)
    if (!known) this.#known.set(name, value)
    return known ?? value
  }
}

export const stands = ({ started_at, expires_at }: WatchSubscription, at: number): boolean =>
  Date.parse(started_at) <= at && at < Date.parse(expires_at)
