import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Orders } from '../../../../pipelines/domains/watch/orders.ts'
import type { SettlementEvent } from '../../../../schemas/settlements.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { type WatchOrder, watchOrders } from '../../../../schemas/watch-subscriptions.ts'
import { until } from '../../../until.ts'
import { openTopics, write } from '../../rails/outbox/topics.ts'

const answerOf = (name: string) => createHash('sha256').update(name).digest('hex')

const orderOf = (name: string): WatchOrder => ({
  ...{ order_id: name, order: 'begin', subscription_id: `sub_${name}`, at: instant(0), nonce: '' },
  ...{ answer_sha256: answerOf(name), subscription: null, baseline: null },
})

const settled = (name: string, more: Partial<SettlementEvent> = {}) =>
  ({ state: 'settled', origin: 'watch', answer_sha256: answerOf(name), ...more }) as SettlementEvent

async function open() {
  const log = await openTopics()
  const orders = await Orders.open(log, {
    dataset: watchOrders,
    answerOf: ({ answer_sha256 }) => answer_sha256,
    mayOrder: ({ origin }) => origin === 'watch',
    bounds: { most: 2, mostChars: 4_000 },
  })
  const begun: string[] = []
  const settle = (...asked: Parameters<typeof settled>) =>
    orders.settled(settled(...asked), async ({ order_id }) => void begun.push(order_id))
  return { log, orders, begun, settle }
}

test('orders without a payment fill a bounded memory, and none of them is lost once it is paid', async () => {
  const { log, orders, begun, settle } = await open()
  await write(log, watchOrders, ...['a', 'b', 'c', 'd', 'e'].map(orderOf))
  await settle('a')
  expect(orders.size).toBe(2)
  await settle('e')
  expect(orders.size).toBe(1)
  expect(begun).toEqual(['a', 'e'])
  await write(log, watchOrders, { ...orderOf('long'), nonce: 'x'.repeat(5_000) })
  await until(() => orders.size === 0)
  await settle('long')
  expect(begun).toEqual(['a', 'e', 'long'])
  await orders.close()
})

test('an order begins when its own payment is settled, and waits for it when its beginning fails', async () => {
  const { log, orders, begun, settle } = await open()
  await write(log, watchOrders, orderOf('a'))
  await settle('b')
  await settle('a', { state: 'failed' })
  await settle('a', { origin: 'data' })
  expect(begun).toEqual([])
  const failing = orders.settled(settled('a'), () => Promise.reject(new Error('the log is down')))
  await expect(failing).rejects.toThrow('the log is down')
  await settle('a')
  expect([begun, orders.size]).toEqual([['a'], 0])
  await orders.close()
})
