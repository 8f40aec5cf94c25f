/**
 * What an analyst waits for at the size of a year: 100 million facts of the SEC, 15 million payments on chain, 5 million and 100 million
 * sales, all of them invented. Then one fact is asked for while sinks load, and a scan runs beside them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import type { SecFact } from '../../schemas/sec-facts.ts'
import { secFacts } from '../../schemas/sec-facts.ts'
import { percentile } from './load.ts'

const million = 1_000_000
const of = (name: string, millions: number) => Math.round(Number(process.env[name] ?? millions) * million)
const sizes = {
  facts: of('BENCH_FACTS', 100),
  payments: of('BENCH_PAYMENTS', 15),
  sales: of('BENCH_SALES', 5),
  manySales: of('BENCH_MANY_SALES', 100),
}
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const atOnce = 5 * million
const granule = 8192

/** So many facts has each filer: 200 concepts in 62 quarters. */
const perFiler = 12_400
const factsSql = (from: number, count: number, version: number) => `
  insert into sec_facts (cik, taxonomy, concept, unit, period_start, period_end, days, value, accession, form, filed, fy, fp, frame, version, is_deleted)
  with intDiv(number, ${perFiler}) as filer, number % ${perFiler} as nth, intDiv(nth, 200) as quarter, toDate32(addMonths(toDate('2010-03-31'), 3 * quarter)) as last
  select 1000 + filer, 'us-gaap', concat('Concept', leftPad(toString(nth % 200), 3, '0')), 'USD', last - 90, last, 90,
    cityHash64(number, ${version}) % 1000000000000, concat(leftPad(toString(1000 + filer), 10, '0'), '-', toString(toYear(last) % 100), '-', leftPad(toString(quarter), 6, '0')),
    if(quarter % 4 = 3, '10-K', '10-Q'), last + 35, toYear(last), concat('Q', toString(quarter % 4 + 1)), concat('CY', toString(toYear(last)), 'Q', toString(quarter % 4 + 1)),
    ${version} + number, 0
  from numbers(${from}, ${count})`

const wallet = (of: string) => `concat('0x', lower(substring(hex(sipHash128(${of})), 1, 32)), '00000000')`
const hash = (of: string) => `lower(concat(hex(sipHash128(${of}, 1)), hex(sipHash128(${of}, 2))))`
/** Some wallets pay often. */
const payer = `concat('p', toString(toUInt32(200000 * pow(cityHash64(number, 'p') / 18446744073709551616., 3))))`

const paymentsSql = (from: number, count: number) => `
  insert into chain_payments (network, at, tx, position, block, payer, pay_to, amount, asset, method, facilitator, nonce, provisional, withdrawn, version, is_deleted)
  select if(number % 10 = 0, 'solana', 'base'), toDateTime64('2025-11-28 00:00:00', 3, 'UTC') + intDiv(number * 31536000, ${sizes.payments}), concat('0x', ${hash('number')}), number % 300,
    20000000 + intDiv(number, 3), ${wallet(payer)}, ${wallet(`concat('s', toString(cityHash64(number, 's') % 5000))`)}, 0.001 + number % 50 / 1000,
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', if(number % 7 = 0, 'plain', 'eip3009'), if(number % 7 = 0, null, 'cdp'), concat('0x', ${hash('number + 1')}), false, false, number + 1, 0
  from numbers(${from}, ${count})`

const saleColumns =
  'spend_id, at, request_id, origin, operation, network, amount_usdc, payer, pay_to, payment_tx, resolved, version, is_deleted'
const salesSql = (from: number, count: number, of: number) => `
  insert into sales (${saleColumns})
  select ${hash('number')}, toDateTime64('2025-11-28 00:00:00', 3, 'UTC') + intDiv(number * 31536000, ${of}), toString(generateUUIDv4()), 'data',
    concat('operation', toString(cityHash64(number, 'o') % 60)), if(number % 3 = 0, 'solana', 'base'), 0.002 + number % 20 / 1000, ${wallet(payer)},
    '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', concat('0x', ${hash('number + 2')}), false, number + 1, 0
  from numbers(${from}, ${count})`

async function fill(store: Store, what: string, rows: number, sql: (from: number, count: number) => string) {
  const begun = performance.now()
  for (let from = 0; from < rows; from += atOnce)
    await store.examine(
      sql(from, Math.min(atOnce, rows - from)).concat(' settings os_threads_nice_value_query = 0'),
    )
  const seconds = (performance.now() - begun) / 1000
  console.log(
    `  ${what}: ${rows.toLocaleString('en')} rows made in ${seconds.toFixed(0)} s (${Math.round(rows / seconds).toLocaleString('en')} a second)`,
  )
}

interface Told {
  ms: number
  rows: number
}

/** As an analyst, over HTTP. */
async function ask({ address }: Store, sql: string): Promise<Told> {
  const begun = performance.now()
  const answer = await fetch(`${address.http}/?user=analyst&database=farebox&wait_end_of_query=1`, {
    method: 'POST',
    body: `${sql} format Null`,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  const { read_rows } = JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}')
  return { ms: performance.now() - begun, rows: Number(read_rows) }
}

const shown = (ms: number): string =>
  ms < 1000 ? `${ms.toFixed(ms < 20 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`

async function tell(store: Store, questions: Record<string, string>): Promise<void> {
  console.log('\n| question | granules read | p50 | slowest |\n|---|---:|---:|---:|')
  for (const [name, sql] of Object.entries(questions)) {
    const told: Told[] = []
    try {
      for (let round = 0; round < rounds; round++) told.push(await ask(store, sql))
      const took = told.map(({ ms }) => ms).toSorted((a, b) => a - b)
      console.log(
        `| ${name} | ${Math.ceil((told[0]?.rows ?? 0) / granule).toLocaleString('en')} | ${shown(percentile(took, 50))} | ${shown(took.at(-1) ?? 0)} |`,
      )
    } catch (error) {
      console.log(`| ${name} | | ${error instanceof Error ? error.message.slice(0, 160) : error} | |`)
    }
  }
}

const questionsOfFacts = {
  'facts of one company': 'select concept, period_end, value from sec_facts where cik = 4000',
  'one concept and period, all filers': `select cik, value from sec_concepts where concept = 'Concept123' and period_end = '2020-12-31'`,
  'one accession': `select concept, value from sec_facts where accession = '0000004000-20-000043'`,
  'count of all facts': 'select count() from sec_facts',
}
const questionsOfPayments = {
  'payments of one payee in a week': `select at, payer, amount from chain_payments where pay_to = ${wallet(`concat('s', '77')`)} and at >= '2026-05-04' and at < '2026-05-11'`,
  'payments of one transaction': `select * from chain_payments where tx = concat('0x', ${hash('toUInt64(7654321)')})`,
  'top payers': 'select payer, payments, usd from chain_payers order by usd desc limit 20',
}
const questionsOfSales = {
  'receipts since a day': `select at, tool, price_usdc from receipts where at >= '2026-11-20' order by at limit 100`,
  'receipts by day':
    'select toDate(at) as day, count(), sum(price_usdc) from receipts group by day order by day',
  'receipts by tool': 'select tool, count(), sum(price_usdc) from receipts group by tool',
  'receipts by payer':
    'select payer, count(), sum(price_usdc) as usdc from receipts group by payer order by usdc desc limit 20',
}

/** Two sinks, as they insert: a thousand facts of a company at a time. */
async function load(store: Store, signal: AbortSignal): Promise<number[]> {
  const [one] = await store.query<SecFact>('select * except (version, is_deleted) from sec_facts limit 1')
  if (!one) throw new Error('there are no facts')
  const took: number[] = []
  const sink = async (nth: number) => {
    for (let n = 0; !signal.aborted; n++) {
      const rows = Array.from({ length: 1000 }, (_, i) => ({
        event: {
          ...one,
          cik: 900_000 + nth,
          accession: `${String(n).padStart(10, '0')}-20-${String(i).padStart(6, '0')}`,
        },
        version: BigInt(n + 1),
      }))
      const begun = performance.now()
      await store.insert(secFacts as never, rows)
      took.push(performance.now() - begun)
    }
  }
  await Promise.all([sink(1), sink(2)])
  return took
}

const line = (name: string, took: number[]) => {
  const sorted = took.toSorted((a, b) => a - b)
  return `| ${name} | ${shown(percentile(sorted, 50))} | ${shown(percentile(sorted, 99))} | ${sorted.length} |`
}

async function besideSinks(store: Store): Promise<void> {
  const scan = `select sum(value) from sec_facts where days = 90`
  const asked = async (sql: string, times: number) => {
    const took: number[] = []
    // A question that reaches its limit has taken that time.
    for (let n = 0; n < times; n++)
      took.push(
        await ask(store, sql).then(
          ({ ms }) => ms,
          () => 30_000,
        ),
      )
    return took
  }
  const point = async (times: number) => {
    const took: number[] = []
    for (let n = 0; n < times; n++) {
      const begun = performance.now()
      await store.query('select concept, period_end, value from sec_facts where cik = {cik: UInt32}', {
        cik: 1000 + ((n * 37) % 8000),
      })
      took.push(performance.now() - begun)
    }
    return took
  }
  console.log('\n| | p50 | p99 | how many |\n|---|---:|---:|---:|')
  console.log(line('a point query alone', await point(200)))
  console.log(line('a scan alone', await asked(scan, 5)))
  const stop = new AbortController()
  const loading = load(store, stop.signal)
  const points = await point(200)
  const scans = asked(scan, 5)
  const mixed = await point(100)
  const scanned = await scans
  stop.abort()
  console.log(line('a point query beside two sinks', points))
  console.log(line('a point query beside two sinks and a scan', mixed))
  console.log(line('a scan beside two sinks', scanned))
  console.log(line('inserts of 1,000 facts meanwhile', await loading))
}

export async function facts(): Promise<void> {
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'farebox-bench-'))
  const store = await openStore(`embedded:${join(folder, 'store')}`)
  try {
    await store.apply(datasets)
    console.log(`Facts at scale, in ${folder}`)
    if (sizes.facts) {
      await fill(store, 'sec_facts', sizes.facts, (from, count) => factsSql(from, count, 1))
      // The SEC publishes a part of it again.
      await fill(store, 'sec_facts again', sizes.facts / 100, (from, count) =>
        factsSql(sizes.facts / 2 + from, count, 2 * sizes.facts),
      )
      await tell(store, questionsOfFacts)
      const merging = performance.now()
      for (const table of ['sec_facts', 'sec_facts_by_concept'])
        await store.examine(`optimize table ${table} final`)
      console.log(`  merged as a day later, in ${shown(performance.now() - merging)}`)
      await tell(store, questionsOfFacts)
      await besideSinks(store)
      await store.query('truncate table sec_facts')
      await store.query('truncate table sec_facts_by_concept')
    }
    if (sizes.payments) {
      await fill(store, 'chain_payments', sizes.payments, paymentsSql)
      const begun = performance.now()
      await store.keepOne(datasets.find(({ name }) => name === 'chain_payments') as never)
      console.log(`  its payers are summed in ${shown(performance.now() - begun)}`)
      await tell(store, questionsOfPayments)
    }
    for (const rows of [sizes.sales, sizes.manySales]) {
      if (!rows) continue
      await store.query('truncate table sales')
      await fill(store, 'sales', rows, (from, count) => salesSql(from, count, rows))
      await tell(store, questionsOfSales)
    }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
