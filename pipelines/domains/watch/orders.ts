/** Orders that begin when the payment of their answer is settled. Memory has the newest, and the log has each for a week. */
import type { Dataset, Fields, RowOf } from '../../../schemas/dataset/dataset.ts'
import type { SettlementEvent } from '../../../schemas/settlements.ts'
import { Bounded } from '../../rails/bounded.ts'
import { eventsIn, firstIn } from '../../rails/log/events.ts'
import type { Log, Watching } from '../../rails/log/log.ts'
import type { Running } from '../../rails/running.ts'

/** Whoever asks and never pays leaves orders as well. */
const usual = { most: 10_000, mostChars: 32 << 20 }

interface OrdersOptions<F extends Fields> {
  dataset: Dataset<F>
  /** The hash of its answer. Null: it waits for no payment. */
  answerOf(order: RowOf<F>): string | null
  /** Whether this purchase may have an order: then one that memory no longer has is looked for in the log. */
  mayOrder(settlement: SettlementEvent): boolean
  /** Hears each order. */
  hear?(order: RowOf<F>): Promise<void>
  bounds?: typeof usual
}

interface Waiting<Order> {
  order: Order
  chars: number
}

export class Orders<F extends Fields> implements Running {
  readonly #log: Log
  readonly #options: OrdersOptions<F>
  readonly #newest: Bounded<Waiting<RowOf<F>>>
  #watching!: Watching

  private constructor(log: Log, options: OrdersOptions<F>) {
    const { most, mostChars } = options.bounds ?? usual
    this.#log = log
    this.#options = options
    this.#newest = new Bounded({ most, mostWeight: mostChars, weigh: ({ chars }) => chars })
  }

  static async open<F extends Fields>(log: Log, options: OrdersOptions<F>): Promise<Orders<F>> {
    const orders = new Orders(log, options)
    const { dataset, answerOf, hear } = options
    orders.#watching = await log.watch(dataset.topic, async batch => {
      for (const { event, record } of eventsIn(dataset, batch)) {
        const answer = answerOf(event)
        if (answer !== null) orders.#newest.set(answer, { order: event, chars: record.value?.length ?? 0 })
        await hear?.(event)
      }
    })
    await orders.#watching.caughtUp
    return orders
  }

  get ended(): Promise<unknown> {
    return this.#watching.ended
  }

  /** The orders in memory. */
  get size(): number {
    return this.#newest.size
  }

  close(): Promise<void> {
    return this.#watching.close()
  }

  /** Begins what was ordered with this purchase. After that, memory has the order no more. */
  async settled(settlement: SettlementEvent, begin: (order: RowOf<F>) => Promise<void>): Promise<void> {
    const { dataset, answerOf, mayOrder } = this.#options
    const { answer_sha256: answer } = settlement
    if (settlement.state !== 'settled' || !mayOrder(settlement)) return
    // The order was written before the payment was settled.
    await this.#watching.reached(await this.#log.end(dataset.topic))
    const order =
      this.#newest.peek(answer)?.order ??
      (await firstIn(this.#log, dataset, answer, each => answerOf(each) === answer))
    if (order) await begin(order)
    this.#newest.delete(answer)
  }
}
