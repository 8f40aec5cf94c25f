import { expect, test } from 'vitest'
import { WatchBook } from '../../../../pipelines/domains/watch/book.ts'
import type { Handle, Log } from '../../../../pipelines/rails/log/log.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { type WatchSubscription, watchSubscriptions } from '../../../../schemas/watch-subscriptions.ts'

const subscription = (webhook_url: string): WatchSubscription => ({
  ...{ subscription_id: 'sub_a', what: 'endpoint', subject: 'http://shop.sample/a', method: 'GET', body: '' },
  ...{ network: 'eip155:8453', payee: '0x1', origin: 'https://farebox.example', webhook_url },
  ...{ secrets: [{ sealed: 'x', until: null }], reminded: 'nothing', orders: [] },
  ...{ started_at: instant(0), expires_at: instant(1_000) },
})

test('the later record of a subscription counts, not the one that arrives last', async () => {
  let hear: Handle = () => {}
  const watching = { caughtUp: Promise.resolve(), ended: new Promise(() => {}), close: async () => {} }
  const log = {
    watch: async (_: unknown, handle: Handle) => {
      hear = handle
      return watching
    },
  } as unknown as Log
  const [book] = await WatchBook.follow(log)
  const topic = watchSubscriptions.topic.name
  const told = (row: WatchSubscription | null, partition: number, offset: bigint, at: number) =>
    hear([{ topic, partition, offset, at, key: 'sub_a', value: row && JSON.stringify(row) }])
  // The topic has got more partitions, and the newer one is read first.
  await told(subscription('https://new.example/'), 7, 0n, 2_000)
  await told(subscription('https://old.example/'), 1, 900n, 1_000)
  expect(book.subscriptions.get('sub_a')?.webhook_url).toBe('https://new.example/')
  await told(null, 7, 1n, 2_001)
  await told(subscription('https://old.example/'), 1, 901n, 1_001)
  expect(book.subscriptions.size).toBe(0)
})
