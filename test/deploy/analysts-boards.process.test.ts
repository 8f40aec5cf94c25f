import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { books } from '../../deploy/grafana/boards/books.ts'
import { door } from '../../deploy/grafana/boards/door.ts'
import { emptyDay } from '../../pipelines/domains/books/margins.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { type BookDay, bookDays } from '../../schemas/book-days.ts'
import { type BookDifference, bookDifferences } from '../../schemas/book-differences.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { type DoorCount, doorCounts } from '../../schemas/door-counts.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { datasets } from '../../schemas/index.ts'
import { operationDays } from '../../schemas/operation-days.ts'
import { type RefundStep, refunds } from '../../schemas/refunds.ts'
import { settlements } from '../../schemas/settlements.ts'
import { instant } from '../../schemas/values/values.ts'
import { settlement } from '../schemas/settlement.ts'
import { analystsQueries, askedByAnalyst, isEmpty } from './analysts-queries.ts'
import { deployed } from './queries.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-boards-'))
let store: Store
beforeAll(async () => {
  store = await openStore(`embedded:${join(folder, 'store')}`)
  await store.apply(datasets.filter(({ audience }) => audience !== 'log'))
  for (const [dataset, events] of facts)
    await store.insert(
      dataset as unknown as Dataset,
      events.map((event, n) => ({ event: { ...event }, version: BigInt(n + 1) })),
    )
  await store.keepOne(settlements as unknown as Dataset)
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const nowMs = Date.now()
const now = instant(nowMs)
const day = now.slice(0, 10)
const daysAgo = (days: number) => instant(nowMs - days * 86_400_000)

const called = (outcome: DoorCount['outcome'], code: string): DoorCount => ({
  ...{ minute: now, instance: 'i', part: 1, origin: 'data', operation: 'exchangeRate', protocol: 'x402' },
  ...{ network: 'base', client: 'node', paying: outcome !== 'quoted', outcome, code, calls: 1, took_ms: 30 },
  ...{ shape: code && 'from:number', took: [0, 0, 0, 1, 0, 0, 0, 0] },
})
const refundStep: RefundStep = {
  ...{ request_id: 'request-1', step: 'final', attempt: 0, at: now, cause: 'command', reason: null },
  ...{ network: 'base', amount_usdc: '0.002', payer: '0x1', refunded_by: '0xf', payment_tx: '0x3' },
  ...{ payment_position: null, refund_tx: '0x4', trace: null, receipt: null, fee_coins: null },
}
const bookDay: BookDay = {
  ...{ network: 'base', pay_to: '0x2', day: daysAgo(3).slice(0, 10), state: 'differs', through: now },
  ...{
    transfers: 2,
    received_usdc: '1.002',
    sales: 1,
    sold_usdc: '0.002',
    matched: 1,
    matched_usdc: '0.002',
  },
  ...{ canary: 0, canary_usdc: '0', reversed: 0, reversed_usdc: '0', refunds: 0, refunded_usdc: '0' },
  ...{ differences: 1, explained: 0, dust: 0, dust_usdc: '0', waiting: 0 },
  ...{ since: daysAgo(9), begun_at: daysAgo(9), at: now },
}
const difference: BookDifference = {
  ...{ network: 'base', kind: 'no_sale', day: bookDay.day, tx: '0x5', payer: '0x6', pay_to: '0x2' },
  ...{ chain_usdc: '1', books_usdc: '0', times: 1, method: 'plain', request_id: null },
  ...{ moved_at: daysAgo(3), state: 'open', at: now },
}

/** A sale and a refund, what was asked and not sold, and days of the books, as a service leaves them. */
const facts: readonly (readonly [{ name: string }, readonly object[]])[] = [
  [settlements, [settlement('a', { at: daysAgo(2) }), settlement('b', { at: now, request_id: 'request-2' })]],
  [fxRates, [{ day: daysAgo(3).slice(0, 10), rates: { USD: '1.1' } }]],
  [refunds, [refundStep]],
  [doorCounts, [called('quoted', ''), called('paid', ''), called('refused', 'invalid_request')]],
  [bookDays, [bookDay]],
  [bookDifferences, [difference]],
  [
    operationDays,
    [
      {
        ...emptyDay({ day, origin: 'data', operation: 'exchangeRate', network: 'base', at: now }),
        ...{ sales: 2, revenue_usdc: '0.004', gas_usd: '0.001' },
      },
    ],
  ],
]

const { datasources } = parse(deployed('grafana/provisioning/datasources/clickhouse.yaml')) as {
  datasources: { uid: string; jsonData: { username: string } }[]
}

it.each(analystsQueries())('$where: the user of the data source gets an answer', async ({ sql }) => {
  expect(datasources[0]?.jsonData.username).toBe('analyst')
  const { meta } = await askedByAnalyst(store.address.http, sql)
  expect(meta.length).toBeGreaterThan(0)
})

it.each(analystsQueries([books, door]))('$where: shows what there is', async ({ sql }) => {
  const { data } = await askedByAnalyst(store.address.http, sql)
  expect(isEmpty(data), JSON.stringify(data)).toBe(false)
})
