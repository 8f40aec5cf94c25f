import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { metrics, metricsPage } from '../../pipelines/rails/metrics.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { wrongSql } from '../../pipelines/workers/data-checks.ts'
import { startMeter } from '../../pipelines/workers/meter.ts'
import { startSink } from '../../pipelines/workers/sink.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import { type ChainPayment, chainPayments } from '../../schemas/chain-payments.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { offsetBits } from '../../schemas/dataset/version.ts'
import { finality, type TakenBack, takenBack } from '../../schemas/finality.ts'
import { rejects } from '../../schemas/rejects.ts'
import { salesCounted } from '../../schemas/sales-counted.ts'
import { type SettlementEvent, settlements } from '../../schemas/settlements.ts'
import { instant } from '../../schemas/values/values.ts'
import { until } from '../until.ts'
import { entryOf, hashOf, settlement } from './settlement.ts'

const settlementRows = settlements as unknown as Dataset
/** Receipts tell the sales of a canary apart. */
const buyers = canaryPurchases as unknown as Dataset
let folder: string
let store: Store
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-receipts-'))
  store = await openStore(`embedded:${join(folder, 'store')}`)
  await store.apply([buyers, settlementRows])
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * The possible writes of two instances for one payment: one sells it, the other meets it again or resolves it after a
 * crash.
 */
const steps: Partial<SettlementEvent>[] = [
  { state: 'intended', request_id: 'of-one' },
  { state: 'settled', request_id: 'of-one' },
  { state: 'intended', request_id: 'of-two' },
  { state: 'unknown', request_id: 'of-two' },
  { state: 'settled', request_id: 'of-two', resolved: true },
  { state: 'failed', request_id: 'of-two' },
]

function* orders<T>(rest: readonly T[]): Generator<T[]> {
  yield []
  for (const [index, one] of rest.entries())
    for (const after of orders(rest.toSpliced(index, 1))) yield [one, ...after]
}

const isSettled = ({ state }: Partial<SettlementEvent>) => state === 'settled'

it('a payment has one receipt if it was ever settled and none otherwise, whatever was written in whatever order', async () => {
  const histories = [...orders(steps)].map((history, index) => ({ spend: `spend-${index}`, history }))
  expect(histories.length).toBeGreaterThan(1900)
  let place = 0n
  await store.insert(
    settlementRows,
    histories.flatMap(({ spend, history }) =>
      history.map(step => ({ event: settlement(spend, step), version: ++place })),
    ),
  )
  const receipts = await store.query<{ spend_id: string; request_id: string }>(
    'select spend_id, request_id from receipts order by spend_id',
  )
  // The later of two settled rows counts, because it knows the earlier one.
  const sold = histories
    .filter(({ history }) => history.some(isSettled))
    .map(({ spend, history }) => ({
      spend_id: hashOf(spend),
      request_id: history.findLast(isSettled)?.request_id,
    }))
    .toSorted((a, b) => (a.spend_id < b.spend_id ? -1 : 1))
  expect(receipts).toEqual(sold)
  const [sum] = await store.query<{ usdc: string }>('select toString(sum(price_usdc)) as usdc from receipts')
  expect(Number(sum?.usdc)).toBeCloseTo(sold.length * 0.002, 6)
})

/** The same history, each step at its own time, so that both settled rows stand in the order of time. */
it('a payment that was settled twice, at two times, has one receipt once its doubt is settled', async () => {
  let version = 5_000_000n
  const settled = (spend: string, at: string, more: Partial<SettlementEvent> = {}) => ({
    event: settlement(spend, { at, network: 'avalanche', ...more }),
    version: ++version,
  })
  const [before, after] = [instant(Date.now() - 120_000), instant(Date.now() - 60_000)]
  await store.insert(settlementRows, [
    settled('once', before),
    settled('found later', before, { request_id: 'of-one' }),
    settled('found later', after, { request_id: 'of-two', resolved: true }),
    settled('found first', after, { request_id: 'of-two', resolved: true }),
    settled('found first', before, { request_id: 'of-one' }),
    settled('found alone', after, { resolved: true }),
  ])
  const receipts = () =>
    store.query<{ spend_id: string; request_id: string }>(
      "select spend_id, request_id from receipts where network = 'avalanche' order by spend_id",
    )
  const expected = [
    { spend_id: hashOf('once'), request_id: 'request-1' },
    { spend_id: hashOf('found later'), request_id: 'of-two' },
    { spend_id: hashOf('found first'), request_id: 'of-one' },
    { spend_id: hashOf('found alone'), request_id: 'request-1' },
  ].toSorted((a, b) => (a.spend_id < b.spend_id ? -1 : 1))
  await store.keepOne(settlementRows)
  expect(await receipts()).toEqual(expected)
  const rows = () => store.query('select count() as n from sales settings final = 0')
  const standing = await rows()
  await store.keepOne(settlementRows)
  expect(await rows()).toEqual(standing)
})

it('a store of before has its receipts after a start, however far an earlier one came, and an older sink fills them too', async () => {
  const older = {
    ...settlementRows,
    views: settlementRows.views.map(view => ({ ...view, ordered: undefined })),
  }
  const own = await openStore(`embedded:${join(folder, 'older')}`)
  onTestFinished(() => own.close())
  await own.apply([buyers, older])
  const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`
  const sold = (spend: string, version: bigint, more: Partial<SettlementEvent> = {}) =>
    own.insert(older, [{ event: settlement(spend, more), version }])
  await sold('a', 1n, { at: at(1) })
  await sold('a', 2n, { at: at(2), resolved: true, request_id: 'of-two' })
  await sold('b', 3n, { at: at(3) })
  await sold('never', 4n, { state: 'failed' })
  const receipts = () => own.query('select at, spend_id, request_id from receipts order by at')
  const of = (spend: string, minute: number, request_id = 'request-1') => ({
    ...{ at: at(minute), spend_id: hashOf(spend), request_id },
  })
  const before = await receipts()
  expect(before).toEqual([of('a', 2, 'of-two'), of('b', 3)])
  await own.apply([buyers, settlementRows])
  expect(await receipts()).toEqual(before)
  await sold('c', 5n, { at: at(4) })
  expect(await receipts()).toEqual([...before, of('c', 4)])
  // A start that was killed before the table was full.
  await own.query('truncate table sales')
  await own.query("alter table sales modify comment 'not filled yet'")
  expect(await receipts()).toEqual([])
  await own.apply([buyers, settlementRows])
  expect(await receipts()).toEqual([...before, of('c', 4)])
  // An operator lets go of facts.
  const beside = await own.beside(settlementRows)
  await beside.insert([{ event: settlement('b', { at: at(3) }), version: 3n }])
  await beside.takeOver()
  await beside.drop()
  expect(await receipts()).toEqual([of('b', 3)])
  await sold('d', 6n, { at: at(5) })
  expect(await receipts()).toEqual([of('b', 3), of('d', 5)])
})

it('a store with many sales starts at once, and its receipts are whole while their table is filled', async () => {
  const own = await openStore(`embedded:${join(folder, 'large')}`)
  onTestFinished(() => own.close())
  await own.apply([{ ...settlementRows, views: [] }])
  const many = 501_000
  await own.query(
    `insert into settlements (spend_id, state, at, resolved, version) select lower(hex(SHA256(toString(number)))), 'settled', toDateTime64('2026-11-20 10:00:00', 3, 'UTC') + number, false, number from numbers(${many})`,
  )
  const count = async (table: string) =>
    Number((await own.query<{ n: string }>(`select count() as n from ${table}`))[0]?.n)
  await own.apply([buyers, settlementRows])
  await own.insert(settlementRows, [{ event: settlement('one more'), version: 1_000_000n }])
  expect([await count('receipts'), await count('sales')]).toEqual([many + 1, 1])
  await own.keepOne(settlementRows)
  expect([await count('receipts'), await count('sales')]).toEqual([many + 1, many + 1])
  const [view] = await own.query<{ sql: string }>(
    "select as_select as sql from system.tables where name = 'receipts'",
  )
  expect(view?.sql).toContain('sales')
})

it('the meter counts the same sales as the receipts, and none from before the first meter', async () => {
  const log = await openLog(`sqlite:${join(folder, 'log.db')}`, {
    topics: [settlements.topic, rejects.topic, salesCounted.topic],
  })
  onTestFinished(() => log.close())
  const network = 'polygon'
  const write = (spend: string, history: Partial<SettlementEvent>[]) =>
    log.append(
      settlements.topic,
      history.map(step => entryOf(settlement(spend, { network, ...step }))),
    )
  const revenue = async () => {
    await metricsPage()
    return (await metrics.revenue.get()).values.find(({ labels }) => labels.network === network)?.value ?? 0
  }
  const lag = async () => {
    await metricsPage()
    const lags = (await metrics.logLag.get()).values
    return lags.find(({ labels }) => labels.group === 'meter')?.value
  }
  const start = async () => {
    const sold = [{ origin: 'data', operation: 'exchangeRate' }]
    const onFailed = (_: string, error: unknown) => expect.fail(String(error))
    return startMeter({ log, sold, networks: [{ name: 'polygon' }], onFailed })
  }
  const met = () => until(async () => (await lag()) === 0, 'the meter')

  await write('before-any-meter', [{ state: 'settled' }])
  const first = await start()
  expect(await revenue()).toBe(0)
  await met()
  expect(await revenue()).toBe(0)

  for (const [index, history] of [...orders(steps)].slice(0, 300).entries())
    await write(`metered-${index}`, history)
  const sink = await startSink({
    log,
    store,
    dataset: settlementRows,
    now: Date.now,
    onProblem: error => expect.fail(String(error)),
  })
  onTestFinished(() => sink.close())
  await until(async () => (await log.lag(settlements.topic, 'sink')) === 0, 'the sink')
  const [receipts] = await store.query<{ usdc: string }>(
    `select toString(sum(price_usdc)) as usdc from receipts where network = 'polygon' and spend_id != {before: String}`,
    { before: hashOf('before-any-meter') },
  )
  expect(Number(receipts?.usdc)).toBeGreaterThan(0)
  await until(async () => Math.abs((await revenue()) - Number(receipts?.usdc)) < 1e-9, 'all sales on a page')

  // The meter ends, sales go on, and another begins: its first page is of zeros, and the next one shows the sales in
  // between.
  await first.close()
  metrics.revenue.reset()
  await write('between-two-meters', [{ state: 'settled' }])
  const second = await start()
  onTestFinished(() => second.close())
  expect(await revenue()).toBe(0)
  await until(async () => (await revenue()) > 0, 'the late sale')
  expect(await revenue()).toBeCloseTo(0.002, 9)
  await write('after', [{ state: 'settled' }, { state: 'settled', request_id: 'of-two' }])
  await until(async () => (await revenue()) > 0.003, 'the next sale')
  expect(await revenue()).toBeCloseTo(0.004, 9)
})

it('one transfer for two payments is reported for three days, and two transfers of one transaction are correct', async () => {
  const check = settlements.checks?.find(({ name }) => name === 'transfers')
  const found = (pass?: { through: string }) =>
    store.query<{ tx: string }>(check ? wrongSql(check, pass) : '')
  const wrong = async () => (await found()).map(({ tx }) => tx)
  let version = 10_000_000n
  const hoursAgo = (hours: number) => instant(Date.now() - hours * 3_600_000)
  const pay = (spend: string, payment_tx: string, more: Partial<SettlementEvent> = {}) =>
    store.insert(settlementRows, [
      {
        event: settlement(spend, { network: 'arbitrum', payment_tx, at: hoursAgo(1), ...more }),
        version: ++version,
      },
    ])
  await pay('first-of-two', '0x7', { payment_position: 3 })
  await pay('second-of-two', '0x7', { payment_position: 5 })
  await pay('of-another-chain', '0x7', { payment_position: 5, network: 'avalanche' })
  // A facilitator's word that the chain has confirmed since: unchanged, and with another transaction.
  await pay('confirmed', '0x7')
  await pay('confirmed', '0x7', { state: 'confirmed', payment_position: 8 })
  await pay('elsewhere', '0x7')
  await pay('elsewhere', '0x8', { state: 'confirmed', payment_position: 1 })
  await pay('young', '0x9', { payment_position: 1 })
  await pay('young-by-word', '0x9', { at: hoursAgo(0) })
  expect(await wrong()).toEqual([])
  await pay('third-of-two', '0x7', { payment_position: 5 })
  await pay('by-place', '0xa', { payment_position: 1 })
  await pay('by-word', '0xa')
  expect((await wrong()).toSorted()).toEqual(['0x7', '0xa'])
  await pay('long-ago', '0xb', { payment_position: 1, at: hoursAgo(73) })
  await pay('long-ago-too', '0xb', { payment_position: 1, at: hoursAgo(73) })
  expect((await wrong()).toSorted()).toEqual(['0x7', '0xa'])
})

it('each receipt says whether its chain calls it final, and what was taken back', async () => {
  await store.apply([finality, takenBack] as unknown as Dataset[])
  const minutesAgo = (minutes: number) => instant(Date.now() - minutes * 60_000)
  const network = 'solana'
  let version = 30_000_000n
  const sold = (spend: string, minutes: number) =>
    store.insert(settlementRows, [
      { event: settlement(spend, { network, at: minutesAgo(minutes) }), version: ++version },
    ])
  const taken = (spend: string, state: TakenBack['state'], minutes: number) =>
    store.insert(takenBack as unknown as Dataset, [
      {
        event: {
          ...{ spend_id: hashOf(spend), state, at: minutesAgo(minutes), settled_at: minutesAgo(25) },
          ...{ request_id: 'request-1', network, amount_usdc: '0.002', payer: '0x1', payment_tx: '0x3' },
          standing_tx: state === 'settled_again' ? '0x4' : null,
        },
        version: ++version,
      },
    ])
  await store.insert(finality as unknown as Dataset, [
    {
      event: {
        ...{ network, since: minutesAgo(40), through: minutesAgo(20), safe_through: minutesAgo(15) },
        ...{ at: minutesAgo(1), next: { '0': '7' } },
      },
      version: ++version,
    },
  ])
  await sold('unfollowed', 50)
  await sold('before the line', 25)
  await sold('safe', 18)
  await sold('after the line', 10)
  await sold('gone', 25)
  await taken('gone', 'taken_back', 22)
  await sold('never', 25)
  await taken('never', 'taken_back', 22)
  await taken('never', 'lost', 21)
  await sold('again', 25)
  await taken('again', 'taken_back', 24)
  await taken('again', 'settled_again', 21)
  await sold('again just now', 25)
  await taken('again just now', 'settled_again', 5)
  const rows = await store.query<{ spend_id: string; finality: string }>(
    `select spend_id, finality from receipts_final where network = '${network}'`,
  )
  const of = new Map(rows.map(row => [row.spend_id, row.finality]))
  expect(rows).toHaveLength(8)
  const names = ['unfollowed', 'before the line', 'safe', 'after the line', 'gone', 'never']
  expect([...names, 'again', 'again just now'].map(name => of.get(hashOf(name)))).toEqual([
    ...['settled', 'final', 'safe', 'settled', 'taken_back', 'lost', 'final', 'settled'],
  ])
})

it('an x402 payment to our payee without a sale is reported', async () => {
  const rows = chainPayments as unknown as Dataset
  await store.apply([rows])
  const at = instant(Date.now() - 2 * 3_600_000)
  const payment = (tx: string, more: Partial<ChainPayment> = {}) => ({
    event: {
      ...{ network: 'base', at, tx, position: 1, block: 1, payer: '0xa', pay_to: '0xbeef', amount: '0.002' },
      ...{
        asset: '0xc',
        method: 'eip3009',
        facilitator: null,
        nonce: null,
        provisional: false,
        withdrawn: false,
      },
      ...more,
    } satisfies ChainPayment,
    version: 1n,
  })
  await store.insert(settlementRows, [
    { event: settlement('explained', { at, pay_to: '0xBeef', payment_tx: '0xAB' }), version: 20_000_000n },
  ])
  await store.insert(rows, [
    payment('0xab'),
    payment('0xplain', { method: 'plain' }),
    payment('0xtheirs', { pay_to: '0xdead' }),
    payment('0xstray'),
  ])
  const check = chainPayments.checks?.find(({ name }) => name === 'explained')
  if (!check) throw new Error('there is no such check')
  const wrong = (pass?: { through: string }) => store.query<{ tx: string }>(wrongSql(check, pass))
  expect((await wrong()).map(({ tx }) => tx)).toEqual(['0xstray'])
  // It was looked at long ago.
  const far = { through: String(BigInt(Date.now()) << offsetBits) }
  expect(await wrong(far)).toEqual([])
})
