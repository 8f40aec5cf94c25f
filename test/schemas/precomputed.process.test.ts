/** What is computed before the question: a second order, sums by month, constants that facts are joined with. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { engineOf } from '../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { airportEvents } from '../../schemas/airport-events.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import { chainPayments } from '../../schemas/chain-payments.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { secFacts } from '../../schemas/sec-facts.ts'
import { settlements } from '../../schemas/settlements.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'

const [payments, facts, ...joined] = [
  ...[chainPayments, secFacts, canaryPurchases, settlements, fxRates, airportEvents],
] as unknown as [Dataset, Dataset, ...Dataset[]]

async function opened() {
  const folder = join(scratchFolder(), 'store')
  const store = await openStore(`embedded:${folder}`)
  onTestFinished(() => store.close())
  await store.apply([...joined, payments, facts])
  let version = 0n
  const insert = (dataset: Dataset, event: Record<string, unknown>) =>
    store.insert(dataset, [{ event, version: ++version, deleted: event.withdrawn === true }])
  /** Statements that are no queries. */
  const run = async (sql: string) => {
    const { url, username, password } = (await engineOf(folder)) ?? expect.fail('no engine')
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: sql })
    expect([sql, await answer.text()]).toEqual([sql, ''])
  }
  return { store, insert, run }
}

it('what is computed before the question is true to facts that are corrected, withdrawn and told twice', async () => {
  const { store, insert } = await opened()
  const paid = (tx: string, more: Record<string, unknown> = {}) =>
    insert(payments, {
      ...{ network: 'base', at: '2026-11-20T10:00:00.000Z', tx, position: 0, block: 1, payer: 'ann' },
      ...{ pay_to: 'shop', amount: '0.5', asset: 'usdc', method: 'eip3009', facilitator: null, nonce: null },
      ...{ provisional: false, withdrawn: false, ...more },
    })
  const payers = async () => {
    await store.keepOne(payments)
    return store.query(
      'select payer, toUInt32(p.payments) as payments, toString(p.usd) as usd from chain_payers as p order by payer',
    )
  }
  await paid('a')
  await paid('a')
  await paid('b', { at: '2026-10-02T10:00:00.000Z' })
  await paid('c', { payer: 'bob' })
  await paid('d', { payer: 'eve', method: 'plain' })
  const ann = { payer: 'ann', payments: 2, usd: '1' }
  expect(await payers()).toEqual([ann, { payer: 'bob', payments: 1, usd: '0.5' }])
  // The chain has dropped the block of one.
  await paid('c', { payer: 'bob', withdrawn: true })
  await paid('e', { amount: '2' })
  expect(await payers()).toEqual([{ ...ann, payments: 3, usd: '3' }])
  // A process that was killed in the middle of a month leaves rows with two marks.
  await store.query(
    "insert into chain_payer_months (month, network, payer, payments, mark, version, is_deleted) select 202610, 'base', 'nobody', 9, 1, 1, 0",
  )
  expect(await payers()).toEqual([{ ...ann, payments: 3, usd: '3' }])

  const filed = (cik: number, value: string, more: Record<string, unknown> = {}) =>
    insert(facts, {
      ...{ cik, taxonomy: 'us-gaap', concept: 'Assets', unit: 'USD', period_start: null, days: 0, value },
      ...{
        period_end: '2025-12-31',
        accession: `0000000001-26-00000${cik}`,
        form: '10-K',
        fy: 2025,
        fp: 'FY',
      },
      ...{ filed: '2026-02-01', frame: null, ...more },
    })
  await filed(1, '10')
  await filed(2, '20')
  await filed(1, '11')
  await filed(1, '12', { accession: '0000000001-27-000001', filed: '2027-02-01' })
  expect(
    await store.query(
      "select cik, toString(value) as value from sec_concepts where concept = 'Assets' and period_end = '2025-12-31' order by cik, filed",
    ),
  ).toEqual([
    { cik: 1, value: '11' },
    { cik: 1, value: '12' },
    { cik: 2, value: '20' },
  ])
  expect(
    await store.query(
      'select cik, toString(value_first) as first, toString(value_last) as last from sec_filed_again where different_values > 1',
    ),
  ).toEqual([{ cik: 1, first: '11', last: '12' }])

  // Constants with the names in facts.
  const one = async (sql: string) => (await store.query(sql))[0]
  expect(await one(`select name, city, state_name from airports where airport = 'ASE'`)).toEqual({
    name: 'Aspen-Pitkin County/Sardy Field',
    city: 'Aspen',
    state_name: 'Colorado',
  })
  expect(await one('select count() as n, countIf(state is null) as stateless from airports')).toEqual({
    n: '932',
    stateless: '0',
  })
  expect(await one(`select name, in_eu from countries where country = 'CI'`)).toEqual({
    name: 'Ivory Coast',
    in_eu: false,
  })
  expect(await one(`select name, digits from currencies where currency = 'JPY'`)).toEqual({
    name: 'Japanese Yen',
    digits: 0,
  })
  expect(await one(`select title, coin from chains where chain = 'base'`)).toEqual({
    title: 'Base',
    coin: 'ETH',
  })
  expect(await one(`select path from operations where operation = 'exchangeRate'`)).toEqual({ path: '/fx' })
})

it('payers, their weeks, and what is bought with what follow sales that are told twice, come late, or are of a canary', async () => {
  const { store, insert } = await opened()
  const settlements = joined.find(({ name }) => name === 'settlements') as Dataset
  const sold = (
    id: string,
    payer: string,
    operation: string,
    at: string,
    more: Record<string, unknown> = {},
  ) =>
    insert(settlements, {
      ...{ spend_id: id.padStart(64, '0'), state: 'settled', at, request_id: id, origin: 'data', operation },
      ...{ network: 'base', amount_usdc: '0.002', payer, pay_to: '0xshop', payment_tx: `0x${id}` },
      ...{
        payment_position: null,
        question_sha256: id.padStart(64, '1'),
        answer_sha256: id.padStart(64, '2'),
      },
      ...{ resolved: false, reason: null, ...more },
    })
  const told = async (sql: string) => {
    await store.keepOne(settlements)
    return store.query(sql)
  }
  const payers = `select payer, toUInt32(p.purchases) as purchases, toString(p.usdc) as usdc, toUInt32(operations) as operations, toUInt32(length(p.networks)) as networks from payers as p order by payer`
  await sold('1', '0xAA', 'fx', '2026-11-02T10:00:00.000Z')
  await sold('2', '0xaa', 'weather', '2026-11-17T10:00:00.000Z', { network: 'solana' })
  await sold('2', '0xaa', 'weather', '2026-11-17T10:00:00.000Z', { network: 'solana' })
  await sold('3', 'Bo', 'fx', '2026-11-17T11:00:00.000Z')
  const aa = { payer: '0xaa', purchases: 2, usdc: '0.004', operations: 2, networks: 2 }
  expect(await told(payers)).toEqual([
    aa,
    { payer: 'Bo', purchases: 1, usdc: '0.002', operations: 1, networks: 1 },
  ])
  const cohorts =
    'select toString(week) as week, weeks_after, toUInt32(payers) as payers, toUInt32(c.purchases) as purchases from payer_cohorts as c order by week, weeks_after'
  expect(await told(cohorts)).toEqual([
    { week: '2026-11-02', weeks_after: 0, payers: 1, purchases: 1 },
    { week: '2026-11-02', weeks_after: 2, payers: 1, purchases: 1 },
    { week: '2026-11-16', weeks_after: 0, payers: 1, purchases: 1 },
  ])
  const together =
    'select tool, with_tool, toUInt32(payers) as payers from bought_together order by tool, with_tool'
  expect(await told(together)).toEqual([
    { tool: 'fx', with_tool: 'weather', payers: 1 },
    { tool: 'weather', with_tool: 'fx', payers: 1 },
  ])
  // A sale of an earlier week comes late, and a payer turns out to be a canary of ours.
  await sold('4', 'Bo', 'weather', '2026-10-28T10:00:00.000Z')
  await sold('5', 'cat', 'fx', '2026-11-18T10:00:00.000Z')
  expect((await told(together))[0]).toEqual({ tool: 'fx', with_tool: 'weather', payers: 2 })
  expect((await told(cohorts))[0]).toEqual({ week: '2026-10-26', weeks_after: 0, payers: 1, purchases: 1 })
  expect((await told(payers)).at(-1)).toMatchObject({ payer: 'cat', purchases: 1 })
  await store.query(
    "insert into canary_purchases (purchase_id, state, payer, version) select 'c', 'paid', 'cat', 1",
  )
  expect(await told(payers)).toHaveLength(2)
})

it('a start waits for no index of the rows that stand, and finds by it later', async () => {
  const { store, insert, run } = await opened()
  const small = { ...payments, name: 'small_payments', views: [], checks: [], table: {} } satisfies Dataset
  await store.apply([small])
  const event = {
    network: 'base',
    at: '2026-11-20T10:00:00.000Z',
    tx: 'a',
    position: 0,
    block: 1,
    payer: 'ann',
  }
  await insert(small, {
    ...{ ...event, pay_to: 'shop', amount: '0.5', asset: 'usdc', method: 'eip3009', facilitator: null },
    ...{ nonce: null, provisional: false, withdrawn: false },
  })
  // The engine has no time for it, as beside a merge of many gigabytes.
  await run('system stop merges farebox.small_payments')
  await store.apply([{ ...small, table: { found: ['tx'] } }])
  const made = async () =>
    (
      await store.query<{ done: number }>(
        "select is_done as done from system.mutations where table = 'small_payments'",
      )
    ).map(({ done }) => done)
  expect(await made()).toEqual([0])
  await run('system start merges farebox.small_payments')
  await until(async () => (await made()).every(Boolean), 'the index of the rows that stand')
})
