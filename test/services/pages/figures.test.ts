import { expect, it } from 'vitest'
import { StoreAway } from '../../../pipelines/rails/store/store.ts'
import { type CanaryPurchase, canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { figuresOf } from '../../../services/pages/figures.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { until } from '../../until.ts'
import { polled } from '../origins/ask.ts'

const start = Date.parse('2026-11-20T12:00:00Z')

function open(query: (sql: string) => Promise<object[]>) {
  const at = { now: start }
  const shelf = new Shelf(() => at.now)
  polled(shelf, 'ecb', at.now - 60_000)
  polled(shelf, 'faa', at.now - 86_400_000)
  return { at, shelf, figures: figuresOf({ now: () => at.now, shelf, store: { query } } as never) }
}

it('counts the sales of the day once a minute, and waits for no store', async () => {
  const asked: string[] = []
  const { at, figures } = open(async sql => {
    asked.push(sql)
    return [{ calls: '1234' }]
  })
  expect(await figures()).toEqual([{ name: 'sources fresh now', value: '1 of 2' }])
  const sold = { name: 'calls sold today (UTC)', value: '1,234' }
  await until(async () => (await figures()).length === 2, 'the sales of the day')
  expect((await figures())[0]).toEqual(sold)
  expect(asked).toHaveLength(1)
  at.now += 60_001
  expect((await figures())[0]).toEqual(sold)
  expect(asked).toHaveLength(2)
})

it('does not count a source that nobody asks any more', async () => {
  const { figures, shelf } = open(() => Promise.reject(new StoreAway('nobody answers')))
  polled(shelf, 'faa', start - 8 * 86_400_000)
  expect(await figures()).toEqual([{ name: 'sources fresh now', value: '1 of 1' }])
})

it('tells what it knows while the store is away', async () => {
  const { figures } = open(() => Promise.reject(new StoreAway('nobody answers')))
  await figures()
  expect(await figures()).toEqual([{ name: 'sources fresh now', value: '1 of 2' }])
})

it('tells when the canary bought last, and how that went', async () => {
  const { figures, shelf } = open(() => Promise.reject(new StoreAway('nobody answers')))
  const bought: CanaryPurchase = {
    ...{ purchase_id: '00000000-0000-4000-8000-000000000001', state: 'good', network: 'base', took_ms: 5 },
    ...{ at: '2026-11-20T11:55:00.000Z', next_at: '2026-11-20T12:55:00.000Z', operation: '/fx' },
    ...{ price_usdc: '0.002', payer: '0xa', pay_to: '0xb', request_id: 'r', failed_step: null, reason: null },
    payment_tx: `0x${'ab'.repeat(32)}`,
  }
  const value = JSON.stringify(bought)
  shelf.take(canaryPurchases, [{ key: bought.purchase_id, value, partition: 0, offset: 0n, at: 0 }])
  expect(await figures()).toContainEqual({ name: 'since our canary bought /fx: good', value: '5 min' })
})
