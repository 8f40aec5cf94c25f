/** Invented rows of a year, made inside the engine: facts of the SEC, payments on chain, sales with their steps. */
import type { Store } from '../../pipelines/rails/store/store.ts'
import { offsetBits } from '../../schemas/dataset/version.ts'

const atOnce = 5_000_000
/** Wide rows of more than these do not fit into the engine's memory twice: once for each of their tables. */
const rowsInBlock = 400_000
const day = 86_400_000
const year = 365 * day
const begun = Math.floor((Date.now() - year) / day) * day
const since = new Date(begun).toISOString().replace('T', ' ').slice(0, 23)
/** Spread over the year, of so many. */
const atOf = (nth: string, of: number) =>
  `addMilliseconds(toDateTime64('${since}', 3, 'UTC'), intDiv((${nth}) * ${year}, ${of}))`
/** As the log numbers its records: by their time, then by their place. */
const versionOf = (at: string) =>
  `bitShiftLeft(toUInt64(toUnixTimestamp64Milli(${at})), ${offsetBits}) + number % 1000`

export const hash = (of: string) => `lower(concat(hex(sipHash128(${of}, 1)), hex(sipHash128(${of}, 2))))`
export const wallet = (of: string) =>
  `concat('0x', lower(substring(hex(sipHash128(${of})), 1, 32)), '00000000')`
export const ours = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
/** Some wallets pay often. */
const payerOf = (nth: string) =>
  `concat('p', toString(toUInt32(200000 * pow(cityHash64(${nth}, 'p') / 18446744073709551616., 3))))`

/** So many facts has each filer: 200 concepts in 62 quarters. */
const perFiler = 12_400

/** A higher load tells the same facts again, some with other values. */
export const factsSql = (from: number, count: number, load = 1) => `
  insert into sec_facts (cik, taxonomy, concept, unit, period_start, period_end, days, value, accession, form, filed, fy, fp, frame, version, is_deleted)
  with intDiv(number, ${perFiler}) as filer, number % ${perFiler} as nth, intDiv(nth, 200) as quarter, toDate32(addMonths(toDate('2010-03-31'), 3 * quarter)) as last
  select 1000 + filer, 'us-gaap', concat('Concept', leftPad(toString(nth % 200), 3, '0')), 'USD', last - 90, last, 90,
    cityHash64(number, ${load}) % 1000000000000, concat(leftPad(toString(1000 + filer), 10, '0'), '-', toString(toYear(last) % 100), '-', leftPad(toString(quarter), 6, '0')),
    if(quarter % 4 = 3, '10-K', '10-Q'), last + 35, toYear(last), concat('Q', toString(quarter % 4 + 1)), concat('CY', toString(toYear(last)), 'Q', toString(quarter % 4 + 1)),
    bitShiftLeft(toUInt64(${begun + load * day}), ${offsetBits}) + number, 0
  from numbers(${from}, ${count})`

/** A tenth of the payments are for our sales, of which there are so many. */
export const paymentsSql = (
  from: number,
  count: number,
  { payments, sales }: { payments: number; sales: number },
) => `
  insert into chain_payments (network, at, tx, position, block, payer, pay_to, amount, asset, method, facilitator, nonce, provisional, withdrawn, version, is_deleted)
  with number % 10 = 3 as sold, intDiv(number * ${sales}, ${payments}) as sale, ${atOf('number', payments)} as moved
  select if(number % 10 = 0, 'solana', 'base'), moved, concat('0x', if(sold, ${hash("concat('tx', toString(sale))")}, ${hash('number')})), number % 300,
    20000000 + intDiv(number, 3), ${wallet(payerOf('if(sold, sale, number)'))}, if(sold, '${ours}', ${wallet("concat('s', toString(cityHash64(number, 's') % 5000))")}), 0.001 + number % 50 / 1000,
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', if(number % 7 = 0, 'plain', 'eip3009'), if(number % 7 = 0, null, 'cdp'), concat('0x', ${hash('number + 1')}), false, false,
    ${versionOf('moved')}, 0
  from numbers(${from}, ${count})`

const saleSql = `'data' as origin, concat('operation', toString(cityHash64(number, 'o') % 60)) as operation, if(number % 3 = 0, 'solana', 'base') as network,
    0.002 + number % 20 / 1000 as amount_usdc, ${wallet(payerOf('number'))} as payer, '${ours}' as pay_to`
const requestId = "toString(reinterpretAsUUID(sipHash128(number, 'r')))"
const paymentTx = `concat('0x', ${hash("concat('tx', toString(number))")})`

/** Every step of each sale, as the sink inserts them: the table \`sales\` follows. The chain has confirmed one of twenty. */
export const settlementsSql = (
  from: number,
  count: number,
  { sales, first }: { sales: number; first: number },
) => `
  insert into settlements (spend_id, state, at, request_id, origin, operation, network, amount_usdc, payer, pay_to, payment_tx, payment_position, question_sha256, answer_sha256, resolved, reason, version, is_deleted)
  with ${atOf(`number - ${first}`, sales)} + if(state = 'intended', 0, if(state = 'settled', 0.8, 6)) as told
  select ${hash('number')}, state, told, ${requestId}, ${saleSql}, if(state = 'intended', null, ${paymentTx}), if(state = 'confirmed', toUInt32(number % 300), null),
    ${hash("concat('q', toString(number))")}, ${hash("concat('a', toString(number))")}, state = 'confirmed', null, ${versionOf('told')}, 0
  from numbers(${from}, ${count}) array join if(number % 20 = 0, ['intended', 'settled', 'confirmed'], ['intended', 'settled']) as state`

/** Rows of settlements that so many sales have. */
export const stepsOfSale = (sales: number): number => sales * 2.05

/** Sales alone, for more of them than the disk has room for with all their steps. */
export const salesSql = (from: number, count: number, { sales, first }: { sales: number; first: number }) => `
  insert into sales (spend_id, at, request_id, origin, operation, network, amount_usdc, payer, pay_to, payment_tx, resolved, version, is_deleted)
  with ${atOf(`number - ${first}`, sales)} as sold
  select ${hash('number')}, sold, ${requestId}, ${saleSql}, ${paymentTx}, false, ${versionOf('sold')}, 0
  from numbers(${from}, ${count})`

/** Makes what is missing: what an earlier run has made stays. */
export async function fill(
  store: Store,
  table: string,
  { from = 0, to, rowsOf = n => n }: { from?: number; to: number; rowsOf?: (n: number) => number },
  sql: (from: number, count: number) => string,
): Promise<void> {
  const started = performance.now()
  let made = 0
  for (let at = from; at < to; at += atOnce) {
    const count = Math.min(atOnce, to - at)
    const [standing] = await store.query<{ n: string }>(
      `select count() as n from ${table} settings final = 0`,
    )
    if (Number(standing?.n) >= rowsOf(at + count)) continue
    await store.examine(
      `${sql(at, count)} settings os_threads_nice_value_query = 0, min_insert_block_size_rows = ${rowsInBlock}, min_insert_block_size_bytes = 0`,
    )
    made += count
  }
  const seconds = (performance.now() - started) / 1000
  if (made)
    console.log(
      `  ${table}: ${made.toLocaleString('en')} made in ${seconds.toFixed(0)} s (${Math.round(made / seconds).toLocaleString('en')} a second)`,
    )
}
