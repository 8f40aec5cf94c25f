import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bookedDay, dayWanted, notesBy } from '../../../pipelines/domains/books/books.ts'
import { dustOn } from '../../../pipelines/domains/books/comparison.ts'
import { costPricesIn } from '../../../pipelines/domains/books/cost-prices.ts'
import { coverageOf } from '../../../pipelines/domains/books/coverage.ts'
import { type AskStore, ownWallet } from '../../../pipelines/domains/books/facts.ts'
import { emptyDay, operationDaysOf } from '../../../pipelines/domains/books/margins.ts'
import { purchasesOf } from '../../../pipelines/domains/books/purchases.ts'
import { statementOf } from '../../../pipelines/domains/books/statement.ts'
import { statementForms } from '../../../pipelines/domains/books/statement-forms.ts'
import { entryOf, type Log } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { type Running, together } from '../../../pipelines/rails/running.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../pipelines/rails/store/store.ts'
import { Books } from '../../../pipelines/workers/books/books.ts'
import { Margins } from '../../../pipelines/workers/books/margins.ts'
import { UnseenCosts } from '../../../pipelines/workers/books/unseen-costs.ts'
import { startSink } from '../../../pipelines/workers/sink.ts'
import { type BookDay, bookDays } from '../../../schemas/book-days.ts'
import { bookDifferences } from '../../../schemas/book-differences.ts'
import { type BookNote, bookNotes } from '../../../schemas/book-notes.ts'
import { callCounts } from '../../../schemas/call-counts.ts'
import { canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { type ChainPayment, chainPayments } from '../../../schemas/chain-payments.ts'
import { chainRanges } from '../../../schemas/chain-ranges.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { finality, takenBack } from '../../../schemas/finality.ts'
import { fxCorrections } from '../../../schemas/fx-corrections.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { operationDays } from '../../../schemas/operation-days.ts'
import { refunds } from '../../../schemas/refunds.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { settleCosts } from '../../../schemas/settle-costs.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import { hashOf, settlement } from '../../schemas/settlement.ts'
import { until } from '../../until.ts'

const datasets = [
  fxRates,
  canaryPurchases,
  settlements,
  finality,
  takenBack,
  refunds,
  chainPayments,
  chainRanges,
  bookDays,
  bookDifferences,
  bookNotes,
  fxCorrections,
  settleCosts,
  callCounts,
  operationDays,
]
const rows = datasets as unknown as readonly Dataset[]
const payee = '0x00000000000000000000000000000000000000ee'
const payer = '0x00000000000000000000000000000000000000aa'
const signal = new AbortController().signal
/** Noon, so that a day has room before and after it. */
const noon = Date.parse('2026-11-20T12:00:00.000Z')
const hourMs = 3_600_000
let nowMs = noon
let folder: string
let store: Store
let log: Log
let sinks: Running
let ask: AskStore
let books: Books

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-books-'))
  store = await openStore(`embedded:${join(folder, 'store')}`)
  await store.apply(rows)
  log = await openLog(`sqlite:${join(folder, 'log.db')}`, {
    topics: [...rows, rejects].map(({ topic }) => topic),
  })
  sinks = together(
    await Promise.all(
      rows.map(dataset =>
        startSink({
          ...{ log, store, dataset, now: Date.now },
          onProblem: error => {
            throw error
          },
        }),
      ),
    ),
  )
  ask = (sql, params) => store.query(sql, params)
  books = await Books.open({ log, ask, wallets: () => [ownWallet('base', payee)], now: () => nowMs })
}, 120_000)
afterAll(async () => {
  await sinks.close()
  await log.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

let position = 0
const append = <Row>(dataset: { topic: Dataset['topic']; keyOf(row: Row): string }, ...events: Row[]) =>
  log.append(
    dataset.topic,
    events.map(event => entryOf(dataset, event)),
  )

const transferOf = (tx: string, at: number, more: Partial<ChainPayment> = {}): ChainPayment => ({
  ...{ network: 'base', at: instant(at), tx, position: position++, block: 1, payer, pay_to: payee },
  ...{ amount: '0.002', asset: '0xc', method: 'eip3009', facilitator: '0xf', nonce: null },
  ...{ provisional: false, withdrawn: false },
  ...more,
})
const moved = (...transfer: Parameters<typeof transferOf>) => append(chainPayments, transferOf(...transfer))
const sold = (name: string, at: number, more: Parameters<typeof settlement>[1] = {}) =>
  append(
    settlements,
    settlement(name, {
      at: instant(at),
      request_id: `of-${name}`,
      payer,
      pay_to: payee.toUpperCase().replace('X', 'x'),
      payment_tx: `0x${name}`,
      ...more,
    }),
  )
let block = 0
/** The final blocks between these times are read. */
const read = (from: number, to: number) => {
  const from_block = block
  block += 1000
  return append(chainRanges, {
    ...{
      network: 'base',
      from_block,
      to_block: block - 1,
      sellers_after: instant(0),
      sellers_until: instant(1),
    },
    ...{
      from_at: instant(from),
      to_at: instant(to),
      wallets: 1,
      payments: 0,
      plain: 0,
      unread: 0,
      last_hash: '',
    },
  })
}
const refund = (step: 'paid' | 'final', request: string, at: number, tx: string, amount_usdc = '0.002') =>
  append(refunds, {
    ...{
      request_id: request,
      step,
      attempt: 0,
      at: instant(at),
      cause: 'command',
      reason: null,
      network: 'base',
    },
    ...{
      amount_usdc,
      payer,
      refunded_by: '0xfe',
      payment_tx: '0x1',
      payment_position: 1,
      refund_tx: tx,
      trace: null,
      receipt: null,
      fee_coins: step === 'final' ? '0.000004' : null,
    },
  })
const gauge = async (name: 'bookDifferences' | 'booksClosed') => (await metrics[name].get()).values[0]?.value

/** A row per day, as analysts find it. */
async function dayRow(day: string): Promise<BookDay | undefined> {
  const [row] = await store.query<BookDay>(`select * from book_days where day = '${day}'`)
  return row
}
const open = () =>
  store.query<{
    kind: string
    tx: string
    payer: string
    chain_usdc: string
    books_usdc: string
    times: number
    request_id: string | null
  }>(
    'select kind, tx, payer, toString(chain_usdc) as chain_usdc, toString(books_usdc) as books_usdc, times, request_id from book_differences_open order by kind, tx',
  )

it('every kind of difference is found by name, nothing else is, and a day is closed when nothing differs', async () => {
  const day = '2026-11-20'
  const good = Array.from({ length: 200 }, (_, n) => n)
  await read(noon - 20 * hourMs, noon + 30 * hourMs)
  for (const n of good) {
    await sold(`good-${n}`, noon + n * 1000)
    await moved(`0xgood-${n}`, noon + n * 1000 + 2000)
  }
  // Two equal sales in one transaction, one that the chain shows in another transaction, and one at midnight.
  await sold('twin-1', noon, { payment_tx: '0xtwins' })
  await sold('twin-2', noon, { payment_tx: '0xtwins' })
  await moved('0xtwins', noon)
  await moved('0xtwins', noon)
  await sold('elsewhere', noon, { payment_tx: '0xsaid' })
  await sold('elsewhere', noon + 1000, {
    state: 'confirmed',
    payment_tx: '0xSHOWN',
    reason: 'other_transaction',
  })
  await moved('0xshown', noon)
  await sold('midnight', noon + 12 * hourMs + 2000)
  await moved('0xmidnight', noon + 12 * hourMs - 1000)
  // One that moved in a reorganisation, and two that moved nothing after all.
  await sold('moved', noon)
  await sold('lost', noon)
  for (const [spend, state, standing] of [
    ['moved', 'settled_again', '0xnew'],
    ['lost', 'lost', null],
  ] as const)
    await append(takenBack, {
      ...{
        spend_id: hashOf(spend),
        state,
        at: instant(noon + 1000),
        settled_at: instant(noon),
        request_id: `of-${spend}`,
      },
      ...{ network: 'base', amount_usdc: '0.002', payer, payment_tx: `0x${spend}`, standing_tx: standing },
    })
  await moved('0xnew', noon)
  await sold('denied', noon)
  await sold('denied', noon + 1000, { state: 'refuted', reason: 'no such transfer' })
  // What is not final, and what leaves the wallet, is no receipt of money.
  await moved('0xprovisional', noon, { provisional: true })
  await moved('0xswept', noon, { payer: payee, pay_to: '0xbank' })
  nowMs = noon + 14 * hourMs
  await books.round(signal)
  await until(async () => (await dayRow(day))?.state === 'closed', 'a closed day')
  expect(await dayRow(day)).toMatchObject({
    ...{ sales: '205', transfers: '205', matched: '205', differences: '0', waiting: '0', reversed: '2' },
    ...{ received_usdc: '0.41', sold_usdc: '0.41', reversed_usdc: '0.004' },
  })
  expect(await open()).toEqual([])
  expect(await gauge('bookDifferences')).toBe(0)
  expect(await gauge('booksClosed')).toBe(Date.parse('2026-11-21T00:00:00.000Z') / 1000)
})

it('names what differs, and takes it back once it is explained', async () => {
  const day = '2026-11-21'
  const at = noon + 20 * hourMs
  await sold('vanished', at)
  await moved('0xstray', at, { payer: '0xstranger', amount: '1.5' })
  await moved('0xplain', at, { payer: '0xplainer', method: 'plain', facilitator: null, amount: '0.000001' })
  await sold('short', at)
  await moved('0xshort', at, { amount: '0.001999' })
  await sold('late', at + 1000, { payment_tx: '0xlate', at: instant(at + 26 * hourMs), resolved: true })
  await moved('0xlate', at)
  await sold('double', at, { payment_tx: '0xdouble' })
  await moved('0xdouble', at)
  await moved('0xdouble', at)
  await refund('final', 'of-vanished', at, '0xnever')
  await refund('final', 'of-good-1', at, '0xback')
  await moved('0xback', at, { payer: '0xfe', pay_to: payer, method: 'plain' })
  nowMs = at + hourMs / 2
  await books.round(signal)
  await until(async () => (await open()).length === 3, 'the first differences')
  // Transfers of half an hour ago may find their sale yet. The blocks after the sale are read, so it is judged.
  expect((await open()).map(({ kind }) => kind)).toEqual(['no_refund', 'no_transfer', 'no_transfer'])
  await read(noon + 30 * hourMs, noon + 80 * hourMs)
  nowMs = noon + 62 * hourMs
  await books.round(signal)
  const found = [
    {
      kind: 'amount',
      tx: '0xshort',
      payer,
      chain_usdc: '0.001999',
      books_usdc: '0.002',
      times: 1,
      request_id: 'of-short',
    },
    {
      kind: 'no_refund',
      tx: '0xnever',
      payer: '0xfe',
      chain_usdc: '0',
      books_usdc: '0.002',
      times: 1,
      request_id: 'of-vanished',
    },
    {
      kind: 'no_sale',
      tx: '0xdouble',
      payer,
      chain_usdc: '0.002',
      books_usdc: '0',
      times: 1,
      request_id: null,
    },
    {
      kind: 'no_sale',
      tx: '0xstray',
      payer: '0xstranger',
      chain_usdc: '1.5',
      books_usdc: '0',
      times: 1,
      request_id: null,
    },
    {
      kind: 'no_transfer',
      tx: '0xvanished',
      payer,
      chain_usdc: '0',
      books_usdc: '0.002',
      times: 1,
      request_id: 'of-vanished',
    },
  ]
  await until(async () => (await open()).length === found.length, 'the differences')
  expect(await open()).toEqual(found)
  await until(async () => (await dayRow(day))?.state === 'differs', 'a day that differs')
  expect(await gauge('bookDifferences')).toBe(found.length)
  expect(await gauge('booksClosed')).toBe(Date.parse('2026-11-21T00:00:00.000Z') / 1000)
  // The late sale belongs to the day of its block, and makes no other day wrong.
  await until(async () => (await dayRow('2026-11-22'))?.state === 'closed', 'the day after')

  await moved('0xvanished', at)
  await moved('0xnever', at, { payer: '0xfe', pay_to: payer })
  await sold('found', at, { payer: '0xstranger', payment_tx: '0xstray', amount_usdc: '1.5' })
  await books.round(signal)
  await until(async () => (await open()).length === 2, 'fewer differences')
  expect((await open()).map(({ tx }) => tx)).toEqual(['0xshort', '0xdouble'])
  // Nobody sells for a millionth, so that transfer is dust.
  expect(await dayRow(day)).toMatchObject({ dust: '1', dust_usdc: '0.000001', explained: '0' })
})

it('a day is closed once an operator has signed off what differs, and a further one like it opens it again', async () => {
  const day = '2026-11-21'
  const [short, double] = await store.query<Omit<BookNote, 'note' | 'by' | 'at'>>(
    'select network, kind, toString(day) as day, tx, payer, pay_to, toString(chain_usdc) as chain_usdc, toString(books_usdc) as books_usdc, times from book_differences_open order by kind, tx',
  )
  const signedOff = { note: 'agreed with the payer', by: 'the operator', at: instant(nowMs) }
  await append(bookNotes, { ...(short as BookNote), ...signedOff })
  await books.round(signal)
  await until(async () => Number((await dayRow(day))?.explained) === 1, 'one that is signed off')
  expect(await dayRow(day)).toMatchObject({ state: 'differs', differences: '1' })
  expect((await open()).map(({ tx }) => tx)).toEqual(['0xdouble'])
  await append(bookNotes, { ...(double as BookNote), ...signedOff })
  const wallet = { ...ownWallet('base', payee), nowMs, graceMs: hourMs }
  const begin = { since: '2026-11-20T11:50:00.000Z', begun_at: '2026-11-21T02:00:00.000Z' }
  const coverage = await coverageOf(ask, 'base', Date.parse(begin.since))
  const notes = notesBy(
    [short as BookNote, { ...(double as BookNote), times: 0 }].map(one => ({ ...one, ...signedOff })),
  )
  const { row, differences, explained } = await bookedDay(ask, day, { ...wallet, begin, ...coverage, notes })
  expect([row.state, differences.map(({ tx }) => tx), explained.map(({ tx, note }) => [tx, note])]).toEqual([
    'differs',
    ['0xdouble'],
    [['0xshort', 'agreed with the payer']],
  ])
  await books.round(signal)
  await until(async () => (await dayRow(day))?.state === 'closed', 'a closed day')
  expect(await open()).toEqual([])
})

it('a day whose blocks were not all read stays open, and its sales wait', async () => {
  const at = noon + 100 * hourMs
  await sold('unread', at)
  nowMs = at + 48 * hourMs
  await books.round(signal)
  await until(async () => Number((await dayRow('2026-11-24'))?.waiting) === 1, 'a sale that waits')
  expect((await dayRow('2026-11-24'))?.state).toBe('open')
})

it('goes on from the log after a restart', async () => {
  const again = await Books.open({ log, ask, wallets: () => [ownWallet('base', payee)], now: () => nowMs })
  const end = await log.end(bookDifferences.topic)
  const days = await log.end(bookDays.topic)
  await again.round(signal)
  expect(await log.end(bookDifferences.topic)).toEqual(end)
  expect(await log.end(bookDays.topic)).toEqual(days)
})

const notesNow = () =>
  store.query<BookNote>(
    'select network, kind, toString(day) as day, tx, payer, pay_to, toString(chain_usdc) as chain_usdc, toString(books_usdc) as books_usdc, times, note, by, at from book_differences_explained',
  )

const statement = async () => {
  const wallet = ownWallet('base', payee)
  const begin = { since: '2026-11-20T11:50:00.000Z', begun_at: '2026-11-21T02:00:00.000Z' }
  const coverage = await coverageOf(ask, 'base', Date.parse(begin.since))
  return statementOf(ask, '2026-11', 'GBP', [
    { ...wallet, begin, ...coverage, nowMs, graceMs: hourMs, notes: notesBy(await notesNow()) },
  ])
}

it('the statement of a month has every balance, sale, refund and difference, and is the same when made again', async () => {
  for (const day of ['2026-11-20', '2026-11-23'])
    await append(fxRates, { day, rates: { USD: '2', GBP: '0.5' } })
  await until(async () => (await store.query('select day from fx_rates')).length === 2, 'the rates')
  const told = await statement()
  const sums = (kind: string) =>
    told.lines
      .filter(line => line.kind === kind)
      .map(({ day, count, usdc, eur, home, unrated }) => [day, count, usdc, eur, home, unrated])
  expect(told.closed).toBe(false)
  expect(sums('opening')).toEqual([['2026-11-01', 0, '0', '', '', 0]])
  expect(sums('sales')).toEqual([
    ['2026-11-20', 204, '0.408', '0.204', '0.102', 0],
    ['2026-11-21', 5, '1.508', '0.754', '0.377', 0],
    ['2026-11-22', 1, '0.002', '0.001', '0.0005', 0],
    ['2026-11-24', 1, '0.002', '', '', 1],
  ])
  expect(sums('received').map(([day, count, usdc]) => [day, count, usdc])).toEqual([
    ['2026-11-20', 205, '0.41'],
    ['2026-11-21', 7, '1.51'],
  ])
  expect(sums('withdrawn').map(([day, , usdc]) => [day, usdc])).toEqual([['2026-11-20', '0.002']])
  expect(sums('refunds').map(([day, , usdc]) => [day, usdc])).toEqual([['2026-11-21', '0.004']])
  expect(sums('difference')).toEqual([])
  expect(
    told.lines
      .filter(({ kind }) => kind === 'unexplained')
      .map(({ usdc, about }) => [usdc, about])
      .toSorted(),
  ).toEqual([
    ['0.000001', 'dust'],
    ['0.001999', 'agreed with the payer (the operator)'],
    ['0.002', 'agreed with the payer (the operator)'],
  ])
  expect(sums('closing')).toEqual([['2026-11-30', 0, '1.918', '', '', 0]])
  // The blocks of the last days are not read.
  expect(told.lines.at(-1)?.about).toBe('read through 2026-11-23T20:00:00.000Z')
  // Gas and fees are rolled up by day.
  const fees = (at: string, gas_usd: string, facilitator_usd: string) => ({
    ...emptyDay({ day: at, origin: 'data', operation: 'exchangeRate', network: 'base', at: instant(noon) }),
    ...{ own_settled: 2, gas_usd, others_settled: 1, facilitator_usd },
  })
  await append(operationDays, fees('2026-11-20', '0.000000003', '0.001'), fees('2026-12-01', '7', '7'))
  await until(async () => (await store.query('select day from operation_days')).length === 2, 'the fees')
  const withFees = await statement()
  expect(withFees.lines.filter(({ kind }) => kind === 'fees')).toEqual([
    expect.objectContaining({
      ...{ day: '2026-11-20', network: 'base', count: 3, usdc: '0.001000003' },
      about: 'gas 0.000000003, facilitators 0.001',
    }),
  ])
  const again = await statement()
  for (const form of Object.values(statementForms)) expect(form(again)).toBe(form(withFees))
})

it('the statement of a wallet whose chain is not read yet says so, and no balance; what cannot be judged has a line', async () => {
  const young = '0x00000000000000000000000000000000000000c7'
  const begunMs = Date.parse('2026-07-31T12:00:00.000Z')
  const begin = { since: instant(begunMs), begun_at: instant(begunMs) }
  const wallet = {
    ...ownWallet('base', young),
    begin,
    nowMs: begunMs + hourMs,
    graceMs: hourMs,
    notes: new Map(),
  }
  const unread = await statementOf(ask, '2026-07', '', [{ ...wallet, stretches: [], lost: [] }])
  expect(unread.lines.at(-1)).toMatchObject({ kind: 'closing', usdc: '', about: 'not read yet' })
  expect(statementForms.hledger(unread)).toContain('; closing balance on base: not read yet\n')
  const before = await statementOf(ask, '2026-06', '', [{ ...wallet, stretches: [], lost: [] }])
  expect(before.lines.map(({ kind, usdc, about }) => [kind, usdc, about])).toEqual([
    ['opening', '', 'before the books'],
    ['closing', '', 'before the books'],
  ])
  expect(statementForms.hledger(before)).not.toContain('equity:opening')
  // It came in the first minutes of the books.
  await moved('0xfunded', begunMs + 60_000, { pay_to: young, amount: '500', method: 'plain' })
  const isThere = async () =>
    (await store.query(`select tx from chain_payments where tx = '0xfunded'`)).length
  await until(isThere, 'the transfer')
  const stretches = [{ fromMs: begunMs - hourMs, toMs: begunMs + 40 * 24 * hourMs }]
  const whole = await statementOf(ask, '2026-07', '', [
    { ...wallet, nowMs: begunMs + 40 * 24 * hourMs, stretches, lost: [] },
  ])
  expect(whole.lines.map(({ kind, usdc, about }) => [kind, usdc, about])).toEqual([
    ['opening', '0', `the books begin at ${begin.since}`],
    ['received', '500', ''],
    ['unexplained', '500', 'before the books, or on a chain that is gone'],
    ['closing', '500', ''],
  ])
})

it('a payer’s statement has what the wallet bought, with what came back, and nothing of others', async () => {
  const span = { fromMs: noon - 12 * hourMs, untilMs: noon + 12 * hourMs, most: 300 }
  const own = await purchasesOf(ask, {
    network: 'base',
    payer: payer.toUpperCase().replace('X', 'x'),
    ...span,
  })
  expect(own).toHaveLength(206)
  expect(own.find(({ request_id }) => request_id === 'of-good-1')).toEqual({
    ...{ at: instant(noon + 1000), request_id: 'of-good-1', origin: 'data', tool: 'exchangeRate' },
    ...{ price_usdc: '0.002', pay_to: payee.toUpperCase().replace('X', 'x'), payment_tx: '0xgood-1' },
    ...{ refunded_usdc: '0.002', refund_tx: '0xback' },
  })
  expect(own.filter(({ refunded_usdc }) => refunded_usdc !== null)).toHaveLength(1)
  expect(await purchasesOf(ask, { network: 'base', payer: '0xnobody', ...span })).toEqual([])
  expect(await purchasesOf(ask, { network: 'polygon', payer, ...span })).toEqual([])
  expect(await purchasesOf(ask, { network: 'base', payer, ...span, most: 3 })).toEqual(own.slice(0, 3))
})

it('hledger accepts the statement', async ({ skip }) => {
  const { error } = spawnSync('hledger', ['--version'])
  if (error) skip('hledger is not installed (Debian: apt install hledger)')
  const file = join(folder, 'statement.journal')
  writeFileSync(file, statementForms.hledger(await statement()))
  const hledger = (...args: string[]) => spawnSync('hledger', ['-f', file, ...args], { encoding: 'utf8' })
  expect(hledger('check', '--strict')).toMatchObject({ status: 0, stderr: '' })
  // Two sales have no transfer of their own: one is not judged yet, and of one another amount came.
  expect(hledger('balance', 'receivable', '--format', '%(total)').stdout).toContain('0.004')
  // The journal is wrong where its closing balance is.
  writeFileSync(file, statementForms.hledger(await statement()).replace('= 1.918', '= 1.917'))
  expect(hledger('check').status).not.toBe(0)
})

it('a thousand small transfers of strangers stop no books', async () => {
  const dusty = '0x00000000000000000000000000000000000000d5'
  const [day, at, dust] = ['2026-11-03', Date.parse('2026-11-03T12:00:00.000Z'), 1000]
  const more = { pay_to: dusty, amount: '0.000001', method: 'plain', facilitator: null } as const
  await append(
    chainPayments,
    ...Array.from({ length: dust }, (_, n) => transferOf(hashOf(`dust-${n}`), at + n, more)),
  )
  await sold('zzunpaid', at, { pay_to: dusty })
  const countOf = async (from: string) =>
    Number(
      (
        await ask<{ n: string }>(`select toString(count()) as n from ${from} where pay_to = '${dusty}'`, {})
      )[0]?.n,
    )
  await until(async () => (await countOf('chain_payments')) === dust && (await countOf('receipts')) === 1)
  const wanted = {
    ...ownWallet('base', dusty),
    begin: { since: `${day}T00:00:00.000Z`, begun_at: `${day}T00:00:00.000Z` },
    ...{ stretches: [{ fromMs: at - 24 * hourMs, toMs: at + 48 * hourMs }], lost: [] },
    ...{ nowMs: at + 48 * hourMs, graceMs: hourMs, notes: new Map() },
  }
  const booked = await bookedDay(ask, day, wanted)
  expect(booked.row).toMatchObject({
    ...{ state: 'differs', sales: 1, matched: 0, dust },
    dust_usdc: '0.001',
  })
  expect(booked.differences).toEqual([
    expect.objectContaining({ kind: 'no_transfer', request_id: 'of-zzunpaid' }),
  ])
  expect(await dustOn(ask, dayWanted(day, wanted))).toHaveLength(dust)
  // What is sold for as little is no dust.
  await sold('cheap', at, { pay_to: dusty, amount_usdc: '0.000001' })
  await until(async () => (await countOf('receipts')) === 2, 'the cheap sale')
  const sells = await bookedDay(ask, day, wanted)
  expect([sells.row.dust, sells.differences.length]).toEqual([0, dust + 2])
}, 60_000)

it('costs and margin of an operation: gas by transaction and sale, fees by rule, calls by price, refunds; and who costs more than he brings', async () => {
  const [day, at] = ['2026-10-05', Date.parse('2026-10-05T12:00:00.000Z')]
  const dear = { operation: 'mostDear', pay_to: '0xother', amount_usdc: '0.01' }
  for (const n of [0, 1]) await sold(`own-${n}`, at + n, { ...dear, payment_tx: '0xOWN' })
  for (const n of [0, 1, 2]) await sold(`others-${n}`, at + n, dear)
  await sold('cheap-one', at, { operation: 'mostCheap', pay_to: '0xother', amount_usdc: '0.5' })
  const cost = { network: 'base', at: instant(at), key: '0xkey', gas: 1, coins_below: '0' } as const
  await append(settleCosts, { ...cost, tx: '0xown', transfers: 2, coins: '0.00001' })
  await append(settleCosts, { ...cost, tx: '0xvain', transfers: 0, coins: '0.000002' })
  const called = { minute: instant(at), instance: 'i', part: 1, origin: 'data' }
  await append(
    callCounts,
    { ...called, operation: 'mostDear', host: 'paid.example:8443', calls: 40 },
    { ...called, operation: 'mostDear', host: 'free.example', calls: 3 },
    { ...called, origin: '', operation: '', host: 'paid.example:8443', calls: 100 },
  )
  await refund('final', 'of-own-1', at, '0xgiven-back', '0.01')
  await until(async () => {
    const [found] = await store.query<{ n: string }>(
      `select (select count() from receipts where toDate(at) = '${day}') + (select count() from settle_costs) + (select count() from call_counts)
        + (select count() from refunded where toDate(at) = '${day}') as n`,
    )
    return Number(found?.n) === 6 + 2 + 3 + 1
  }, 'the facts')
  const costs = () =>
    costPricesIn(
      JSON.stringify({
        coins: { base: 3000 },
        facilitators: { base: { each: 0.001, percent: '10', free_a_month: 2 } },
        calls: { 'paid.example:8443': 0.0015 },
      }),
    )
  const needs = { log, ask, costs, now: () => at + hourMs }
  const margins = await Margins.open(needs)
  await margins.round(signal)
  const rowsOf = () =>
    store.query<Record<string, unknown>>(
      `select operation, toUInt32(sales) as sales, toString(revenue_usdc) as revenue, toString(refunded_usdc) as refunded, toString(gas_usd) as gas,
        toString(facilitator_usd) as fees, toUInt32(calls) as calls, toString(calls_usd) as called, toUInt32(unpriced) as unpriced, toString(margin_usd) as margin
      from operation_margins where day = '${day}' order by operation`,
    )
  await until(async () => (await rowsOf()).length === 3, 'the margins')
  // Four sales were not settled by us: two of them are free in this month, so half of each fee is due.
  expect(await rowsOf()).toEqual([
    {
      ...{ operation: '', sales: 0, revenue: '0', refunded: '0', gas: '0.006', fees: '0' },
      ...{ calls: 100, called: '0.15', unpriced: 0, margin: '-0.156' },
    },
    {
      ...{ operation: 'mostCheap', sales: 1, revenue: '0.5', refunded: '0', gas: '0', fees: '0.0505' },
      ...{ calls: 0, called: '0', unpriced: 0, margin: '0.4495' },
    },
    {
      ...{ operation: 'mostDear', sales: 5, revenue: '0.05', refunded: '0.01', gas: '0.042', fees: '0.0045' },
      ...{ calls: 43, called: '0.06', unpriced: 3, margin: '-0.0665' },
    },
  ])
  expect(
    await store.query('select request_id, tx, toString(coins) as coins from sale_costs order by request_id'),
  ).toEqual([
    { request_id: 'of-own-0', tx: '0xown', coins: '0.000005' },
    { request_id: 'of-own-1', tx: '0xown', coins: '0.000005' },
  ])
  const costly = await costlyNow()
  expect(costly).toEqual(['mostDear'])
  // The next hour tells no news, and a restart goes on from the log.
  const end = await log.end(operationDays.topic)
  await margins.round(signal)
  await (await Margins.open(needs)).round(signal)
  expect(await log.end(operationDays.topic)).toEqual(end)
})

/** The operations of which the alert says that they cost more than they bring. */
async function costlyNow(): Promise<string[]> {
  const of = async (name: 'operationRevenue' | 'operationCosts') =>
    new Map((await metrics[name].get()).values.map(({ labels, value }) => [labels.operation, value]))
  const [revenue, costs] = [await of('operationRevenue'), await of('operationCosts')]
  return [...costs].filter(([name, cost]) => cost > (revenue.get(name) ?? 0)).map(([name]) => String(name))
}

it('several wallets of a network have their own sales and refunds, and one that a file names begins when it was known', async () => {
  const [one, other] = [
    '0x00000000000000000000000000000000000000a1',
    '0x00000000000000000000000000000000000000a2',
  ]
  const at = Date.parse('2026-09-05T12:00:00.000Z')
  const wallets = () => [ownWallet('base', one), { ...ownWallet('base', other), sinceMs: at - hourMs }]
  let clock = at - hourMs
  const again = await Books.open({ log, ask, wallets, now: () => clock })
  await again.round(signal)
  await sold('a1-sale', at, { pay_to: one })
  await moved('0xa1-sale', at, { pay_to: one })
  await sold('a2-old', at - 2 * hourMs, { pay_to: other })
  await sold('a2-sale', at, { pay_to: other })
  await moved('0xa2-sale', at, { pay_to: other })
  // Its block is older than the books of its wallet, and the sale is not.
  await sold('a2-first', at - hourMs + 1000, { pay_to: other })
  await moved('0xa2-first', at - hourMs - 1000, { pay_to: other })
  await refund('final', 'of-a1-sale', at, '0xunsent')
  await read(at - 20 * hourMs, at + 40 * hourMs)
  const rows = () =>
    store.query<Record<string, string>>(
      `select pay_to, state, toString(sales) as sales, toString(transfers) as transfers, toString(refunds) as refunds, toString(differences) as differences
      from book_days where day = '2026-09-05' and pay_to in ('${one}', '${other}') order by pay_to`,
    )
  clock = at + 30 * hourMs
  await again.round(signal)
  await until(
    async () => (await rows()).filter(({ state }) => state !== 'open').length === 2,
    'the books of both',
  )
  expect(await rows()).toEqual([
    { pay_to: one, state: 'differs', sales: '1', transfers: '1', refunds: '1', differences: '1' },
    { pay_to: other, state: 'closed', sales: '1', transfers: '1', refunds: '0', differences: '0' },
  ])
  await again.round(signal)
  expect((await open()).filter(({ tx }) => tx === '0xunsent')).toHaveLength(1)
  await moved('0xunsent', at, { payer: '0xfe', pay_to: payer, method: 'plain' })
  await again.round(signal)
  await until(async () => (await open()).every(({ tx }) => tx !== '0xunsent'), 'a refund that was found')
})

it('a refund stands on the day of its block, whenever its last step is told', async () => {
  const shop = '0x00000000000000000000000000000000000000b3'
  const [day, next] = ['2026-08-05', '2026-08-06']
  const midnight = Date.parse(`${next}T00:00:00.000Z`)
  const wallet = {
    ...ownWallet('base', shop),
    begin: { since: '2026-08-01T00:00:00.000Z', begun_at: '2026-08-01T00:00:00.000Z' },
    ...{ stretches: [{ fromMs: midnight - 48 * hourMs, toMs: midnight + 48 * hourMs }], lost: [] },
    ...{ nowMs: midnight + 48 * hourMs, graceMs: hourMs, notes: new Map() },
  }
  const refunded = async () => {
    const days = [await bookedDay(ask, day, wallet), await bookedDay(ask, next, wallet)]
    return days.map(({ row: { refunds, waiting, differences, state } }) => [
      refunds,
      waiting,
      differences,
      state,
    ])
  }
  const costs = async () => {
    const found = { prices: costPricesIn('{}'), settledBefore: () => 0n, nowMs: midnight }
    const days = [day, next].map(one => operationDaysOf(ask, { day: one, ...found }))
    return (await Promise.all(days)).map(rows => rows.reduce((sum, row) => sum + row.refunds, 0))
  }
  const told = async (step: 'paid' | 'final') => {
    const [row] = await store.query<{ n: string }>(
      `select count() as n from refunds where request_id = 'of-late-back' and step = '${step}'`,
    )
    return Number(row?.n) === 1
  }
  await sold('late-back', midnight - 10 * hourMs, { pay_to: shop })
  await moved('0xlate-back', midnight - 10 * hourMs, { pay_to: shop })
  await refund('paid', 'of-late-back', midnight - 60_000, '0xlate-gone')
  await until(() => told('paid'), 'the paid refund')
  // Its transfer is not read yet, and it may still be taken back.
  expect(await refunded()).toEqual([
    [1, 1, 0, 'open'],
    [0, 0, 0, 'closed'],
  ])
  await moved('0xlate-gone', midnight - 90_000, { payer: '0xfe', pay_to: payer, method: 'plain' })
  const isMoved = async () =>
    (await store.query(`select tx from chain_payments where tx = '0xlate-gone'`)).length
  await until(isMoved, 'its transfer')
  const closed = [
    [1, 0, 0, 'closed'],
    [0, 0, 0, 'closed'],
  ]
  expect([await refunded(), await costs()]).toEqual([closed, [1, 0]])
  await refund('final', 'of-late-back', midnight + 3 * hourMs, '0xlate-gone')
  await until(() => told('final'), 'the final refund')
  expect([await refunded(), await costs()]).toEqual([closed, [1, 0]])
})

it('what a settler has not seen before it ended is told by the chain: what it cost, once', async () => {
  const at = noon + 20 * 24 * hourMs
  const ours = { facilitator: '0xf00d' }
  const cost = { network: 'base', at: instant(at), key: '0xf00d', gas: 1, coins_below: '0' } as const
  await append(settleCosts, { ...cost, tx: '0xseen', transfers: 1, coins: '0.00001' })
  await append(
    chainPayments,
    transferOf('0xseen', at, ours),
    transferOf('0xunseen', at, ours),
    transferOf('0xunseen', at, ours),
    transferOf('0xunknown', at, ours),
    transferOf('0xof-others', at, { facilitator: '0xcafe' }),
    transferOf('0xnot-final', at, { ...ours, provisional: true }),
    transferOf('0xno-sale', at, { ...ours, method: 'plain' }),
    transferOf('0xjust-now', at + 2 * hourMs, ours),
  )
  const count = async (sql: string) => Number((await store.query<{ n: string }>(sql))[0]?.n)
  await until(
    async () => (await count(`select count() as n from chain_payments where tx = '0xjust-now'`)) === 1,
    'the payments in the store',
  )
  await until(
    async () => (await count(`select count() as n from settle_costs where tx = '0xseen'`)) === 1,
    'the cost in the store',
  )
  const asked: string[] = []
  const costOf = async (tx: string) => {
    asked.push(tx)
    return tx === '0xunseen' ? { gas: 84_000, coins: '0.0000042', below: '0.0000002' } : undefined
  }
  const chains = [{ network: 'base', costOf }] as const
  const unseen = new UnseenCosts({ log, ask, chains, now: () => at + 3 * hourMs })
  await unseen.round(signal)
  expect(asked.toSorted()).toEqual(['0xunknown', '0xunseen'])
  await until(
    async () => (await count(`select count() as n from settle_costs where tx = '0xunseen'`)) === 1,
    'its cost',
  )
  const told = `select toString(at) as at, key, transfers, toString(gas) as gas, toString(coins) as coins, toString(coins_below) as below from settle_costs where tx = '0xunseen'`
  expect(await store.query(told)).toEqual([
    {
      ...{ at: instant(at).replace('T', ' ').replace('Z', ''), key: '0xf00d', transfers: 2 },
      ...{ gas: '84000', coins: '0.0000042', below: '0.0000002' },
    },
  ])
  await unseen.round(signal)
  expect(asked.toSorted()).toEqual(['0xunknown', '0xunknown', '0xunseen'])
})
