/**
 * What an analyst waits for at the size of a year: 100 million facts of the SEC, 15 million payments on chain, 5 million and 100 million
 * sales, all of them invented. Every check of the data runs over them, and questions are asked while sinks load and a scan runs beside them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { megabytes, shown, tell } from './asked.ts'
import { besideSinks } from './beside.ts'
import { everyCheck } from './checking.ts'
import {
  factsSql,
  fill,
  hash,
  ours,
  paymentsSql,
  salesSql,
  settlementsSql,
  stepsOfSale,
  wallet,
} from './year.ts'

const million = 1_000_000
const of = (name: string, millions: number) => Math.round(Number(process.env[name] ?? millions) * million)
const sizes = {
  facts: of('BENCH_FACTS', 100),
  payments: of('BENCH_PAYMENTS', 15),
  sales: of('BENCH_SALES', 5),
  /** More sales, without their steps. */
  manySales: of('BENCH_MANY_SALES', 100),
}

const questionsOfFacts = {
  'facts of one company': 'select concept, period_end, value from sec_facts where cik = 4000',
  'one concept and period, all filers': `select cik, value from sec_concepts where concept = 'Concept123' and period_end = '2020-12-31'`,
  'one accession': `select concept, value from sec_facts where accession = '0000004000-20-000043'`,
  'count of all facts': 'select count() from sec_facts',
  'restatements of one concept, all filers': `select count(), countIf(different_values > 1) from sec_filed_again where concept = 'Concept123'`,
}
const aWeek = `at >= now() - interval 30 week and at < now() - interval 29 week`
const questionsOfPayments = {
  'payments of one payee in a week': `select at, payer, amount from chain_payments where pay_to = ${wallet(`concat('s', '77')`)} and ${aWeek}`,
  'payments of the largest payee in a week': `select at, payer, amount from chain_payments where pay_to = '${ours}' and ${aWeek}`,
  'payments of one transaction': `select * from chain_payments where tx = concat('0x', ${hash('toUInt64(7654321)')})`,
  'top payers': 'select payer, payments, usd from chain_payers order by usd desc limit 20',
}
const questionsOfSales = {
  'receipts since a day': `select at, tool, price_usdc from receipts where at >= now() - interval 8 day order by at limit 100`,
  'receipts by day':
    'select toDate(at) as day, count(), sum(price_usdc) from receipts group by day order by day',
  'receipts by tool': 'select tool, count(), sum(price_usdc) from receipts group by tool',
  'receipts by payer':
    'select payer, count(), sum(price_usdc) as usdc from receipts group by payer order by usdc desc limit 20',
  'the same of `payers`': 'select payer, purchases, usdc from payers order by usdc desc limit 20',
  '`payer_cohorts`': 'select * from payer_cohorts',
  '`bought_together`': 'select * from bought_together',
  '`receipts_final` of a day': `select network, finality, count(), sum(price_usdc) from receipts_final where at >= now() - interval 1 day group by all`,
  '`receipts_worth` of a week': `select toDate(at) as day, count(), sum(usd), sum(eur) from receipts_worth where at >= now() - interval 7 day group by day`,
  'every step of one payment':
    'select state, at from settlements where spend_id = (select spend_id from receipts order by at limit 1)',
}

const named = (name: string) => datasets.find(dataset => dataset.name === name) as unknown as Dataset

async function summed(store: Store, name: string): Promise<void> {
  const begun = performance.now()
  await store.keepOne(named(name))
  console.log(`  ${name}: its sums are made in ${shown(performance.now() - begun)}`)
}

/** As the engine does by itself a day later. */
async function merged(store: Store, ...tables: readonly string[]): Promise<void> {
  const begun = performance.now()
  for (const table of tables) await store.examine(`optimize table ${table} final`)
  console.log(`  ${tables.join(', ')}: merged in ${shown(performance.now() - begun)}`)
}

async function tellSizes(store: Store): Promise<void> {
  const rows = await store.query<{ table: string; n: string; bytes: string }>(
    `select table, sum(rows) as n, sum(bytes_on_disk) as bytes from system.parts
    where active and database = 'farebox' group by table having n > 100000 order by bytes desc`,
  )
  console.log('\n| table | rows | on disk | bytes a row |\n|---|---:|---:|---:|')
  for (const { table, n, bytes } of rows)
    console.log(
      `| ${table} | ${Number(n).toLocaleString('en')} | ${megabytes(Number(bytes))} | ${(Number(bytes) / Number(n)).toFixed(1)} |`,
    )
}

async function ofFacts(store: Store): Promise<void> {
  const { facts } = sizes
  if (!facts) return
  await fill(store, 'sec_facts', { to: facts }, factsSql)
  // The SEC publishes a part of it again.
  await fill(store, 'sec_facts', { from: facts, to: facts * 1.01 }, (from, count) =>
    factsSql(from - facts / 2, count, 2),
  )
  await tell(store, questionsOfFacts)
  await merged(store, 'sec_facts', 'sec_facts_by_concept')
  await tell(store, questionsOfFacts)
  await besideSinks(store)
}

async function ofSales(store: Store): Promise<void> {
  const { payments, sales, manySales } = sizes
  if (payments) {
    await fill(store, 'chain_payments', { to: payments }, (from, count) =>
      paymentsSql(from, count, { payments, sales: sales || payments }),
    )
    await summed(store, 'chain_payments')
    await tell(store, questionsOfPayments)
  }
  if (sales) {
    await fill(store, 'settlements', { to: sales, rowsOf: stepsOfSale }, (from, count) =>
      settlementsSql(from, count, { sales, first: 0 }),
    )
    await summed(store, 'settlements')
    await tell(store, questionsOfSales)
  }
  if (manySales > sales) {
    await fill(store, 'sales', { from: sales, to: manySales }, (from, count) =>
      salesSql(from, count, { sales: manySales - sales, first: sales }),
    )
    await merged(store, 'sales')
    await summed(store, 'settlements')
    await tell(store, questionsOfSales)
  }
}

/** A folder that is named is kept: another run asks the rows that it has made. */
export async function facts(): Promise<void> {
  const kept = process.env.BENCH_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const store = await openStore(`embedded:${join(folder, 'store')}`)
  try {
    await store.apply(datasets)
    console.log(`Facts at scale, in ${folder}`)
    await ofFacts(store)
    await ofSales(store)
    await tellSizes(store)
    await everyCheck(store)
  } finally {
    await store.close()
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
