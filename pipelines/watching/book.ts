/** What is watched now, and for whom: the subscriptions and the states of endpoints, as the log has them. */
import { readEvent } from '../../schemas/dataset.ts'
import { type EndpointState, endpointStates } from '../../schemas/endpoint-states.ts'
import { type WatchSubscription, watchSubscriptions } from '../../schemas/watch-subscriptions.ts'
import type { Log, Received } from '../log/log.ts'
import type { Running } from '../running.ts'
import { endpointOf } from './url.ts'

/** Its events go on for a while after it has ended, because the last of them may still be on their way. */
export const lastsMs = 8 * 86_400_000

export class Book {
  readonly subscriptions = new Map<string, WatchSubscription>()
  readonly states = new Map<string, EndpointState>()
  /** The subscriptions of each endpoint. */
  readonly #ofEndpoint = new Map<string, Set<string>>()
  readonly #heard: (endpoint: string) => void

  constructor(heard: (endpoint: string) => void = () => {}) {
    this.#heard = heard
  }

  /**
   * Reads what the log has now. From here on only the reader may write it: what the log tells of its own writes would be
   * older than what it knows.
   */
  static async read(log: Log, heard?: (endpoint: string) => void): Promise<Book> {
    const book = new Book(heard)
    const watching = await Promise.all([
      log.watch(watchSubscriptions.topic, batch => book.#hear(batch)),
      log.watch(endpointStates.topic, batch => book.#hearStates(batch)),
    ])
    await Promise.all(watching.map(each => each.caughtUp))
    await Promise.all(watching.map(each => each.close()))
    return book
  }

  /** Reads along what another writes, without the states. */
  static async follow(log: Log): Promise<[Book, Running]> {
    const book = new Book()
    const watching = await log.watch(watchSubscriptions.topic, batch => book.#hear(batch))
    await watching.caughtUp
    return [book, watching]
  }

  put(row: WatchSubscription): void {
    this.subscriptions.set(row.subscription_id, row)
    if (row.what !== 'endpoint') return
    const endpoint = endpointOf(row.subject)
    const ids = this.#ofEndpoint.get(endpoint) ?? new Set()
    this.#ofEndpoint.set(endpoint, ids.add(row.subscription_id))
    this.#heard(endpoint)
  }

  drop(subscriptionId: string): void {
    const row = this.subscriptions.get(subscriptionId)
    this.subscriptions.delete(subscriptionId)
    if (row?.what !== 'endpoint') return
    const endpoint = endpointOf(row.subject)
    const ids = this.#ofEndpoint.get(endpoint)
    ids?.delete(subscriptionId)
    if (!ids?.size) this.#ofEndpoint.delete(endpoint)
    this.#heard(endpoint)
  }

  /** The subscriptions to an endpoint that stand at this moment. */
  watchersOf(endpoint: string, at: number): WatchSubscription[] {
    return [...(this.#ofEndpoint.get(endpoint) ?? [])]
      .map(id => this.subscriptions.get(id) as WatchSubscription)
      .filter(row => stands(row, at))
  }

  #hear(batch: readonly Received[]): void {
    for (const { key, value } of batch) {
      const { event } = value === null ? {} : readEvent(watchSubscriptions, value)
      if (event) this.put(event)
      else if (value === null) this.drop(key)
    }
  }

  #hearStates(batch: readonly Received[]): void {
    for (const { value } of batch) {
      const { event } = value === null ? {} : readEvent(endpointStates, value)
      if (event) this.states.set(event.endpoint, event)
    }
  }
}

export const stands = ({ started_at, expires_at }: WatchSubscription, at: number): boolean =>
  Date.parse(started_at) <= at && at < Date.parse(expires_at)
