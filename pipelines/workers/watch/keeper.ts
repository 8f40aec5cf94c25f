/** Begins a subscription when its payment is settled, prolongs it, reminds of its end, and ends it. */
import { endpointChecks } from '../../../schemas/endpoint-checks.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import {
  type WatchOrder,
  type WatchSubscription,
  watchOrders,
  watchSubscriptions,
} from '../../../schemas/watch-subscriptions.ts'
import { type WebhookEvent, webhookEvents } from '../../../schemas/webhooks.ts'
import { lastsMs, stands, type WatchBook } from '../../domains/watch/book.ts'
import { endingEvent } from '../../domains/watch/events.ts'
import { Orders } from '../../domains/watch/orders.ts'
import type { Seal } from '../../domains/watch/seal.ts'
import { eventEntries } from '../../domains/watch/sealed.ts'
import { eventsIn } from '../../rails/log/events.ts'
import type { Log } from '../../rails/log/log.ts'
import { entryOf } from '../../rails/log/log.ts'
import { type Running, together } from '../../rails/running.ts'

const dayMs = 86_400_000
export const subscribedMs = 30 * dayMs
const remindMs = 3 * dayMs
const rememberedOrders = 20
const oldSecretMs = dayMs

interface KeepingOptions {
  log: Log
  book: WatchBook
  seal: Seal
  now: () => number
  onFailed(error: unknown): void
}

export interface WatchKeeping extends Running {
  /** Reports the subscriptions that end soon, and those that have ended. */
  remind(): Promise<void>
}

export async function startKeeping(options: KeepingOptions): Promise<WatchKeeping> {
  const { log, book, seal, now, onFailed } = options
  const { tell, write, end } = writingOf(options)

  async function begin({ order_id, at, subscription, baseline }: WatchOrder): Promise<void> {
    if (!subscription) return
    const known = book.subscriptions.get(subscription.subscription_id)
    if (known?.orders.includes(order_id)) return
    if (baseline) await log.append(endpointChecks.topic, [entryOf(endpointChecks, baseline)])
    await write(prolonged(known, { ...subscription, orders: [order_id] }, Date.parse(at)))
  }

  async function cancel({ order_id, subscription_id, at }: WatchOrder): Promise<void> {
    const row = book.subscriptions.get(subscription_id)
    if (!row || row.orders.includes(order_id) || !stands(row, Date.parse(at))) return
    await end({ ...row, expires_at: at, orders: [...row.orders, order_id].slice(-rememberedOrders) })
  }

  async function remind(): Promise<void> {
    for (const row of [...book.subscriptions.values()]) {
      const leftMs = Date.parse(row.expires_at) - now()
      if (leftMs <= -lastsMs) {
        await log.append(watchSubscriptions.topic, [{ key: row.subscription_id, value: null }])
        book.drop(row.subscription_id)
      } else if (leftMs <= 0 && row.reminded !== 'ended') await end(row)
      else if (leftMs > 0 && leftMs <= remindMs && row.reminded === 'nothing') {
        await tell(endingEvent(row, 'subscription.expiring', instant(now()), seal))
        await write({ ...row, reminded: 'expiring' })
      }
    }
  }

  const orders = await Orders.open(log, {
    dataset: watchOrders,
    answerOf: ({ answer_sha256 }) => answer_sha256,
    mayOrder: ({ origin }) => origin === 'watch',
    hear: async order => {
      if (order.order === 'cancel') await cancel(order)
    },
  })
  const following = await log.follow(settlements.topic, 'watching', async batch => {
    const settled = batch.filter(({ value }) => value?.includes('"state":"settled"'))
    for (const { event } of eventsIn(settlements, settled)) await orders.settled(event, begin)
  })
  const reminding = setInterval(() => remind().catch(onFailed), 60_000)
  return {
    ...together([orders, following]),
    remind,
    async close() {
      clearInterval(reminding)
      await Promise.all([orders.close(), following.close()])
    },
  }
}

/** Records the changes of a subscription, and reports its end. */
function writingOf({ log, book, seal }: Pick<KeepingOptions, 'log' | 'book' | 'seal'>) {
  const tell = (event: WebhookEvent) => log.append(webhookEvents.topic, eventEntries([event], seal))

  async function write(row: WatchSubscription): Promise<void> {
    await log.append(watchSubscriptions.topic, [entryOf(watchSubscriptions, row)])
    book.put(row)
  }

  async function end(row: WatchSubscription): Promise<void> {
    await tell(endingEvent(row, 'subscription.ended', row.expires_at, seal))
    await write({ ...row, reminded: 'ended' })
  }

  return { tell, write, end }
}

/**
 * A subscription that exists continues: its end moves by 30 days, and its old secret signs beside the new one for a
 * day.
 */
function prolonged(
  known: WatchSubscription | undefined,
  bought: WatchSubscription,
  at: number,
): WatchSubscription {
  if (!known || !stands(known, at)) return bought
  const isNew = known.secrets[0]?.sealed !== bought.secrets[0]?.sealed
  const old = known.secrets
    .filter(({ until }) => until === null)
    .map(secret => ({ ...secret, until: instant(at + oldSecretMs) }))
  return {
    ...bought,
    started_at: known.started_at,
    expires_at: instant(Date.parse(known.expires_at) + subscribedMs),
    secrets: isNew ? [...bought.secrets, ...old] : bought.secrets,
    orders: [...known.orders, ...bought.orders].slice(-rememberedOrders),
  }
}
