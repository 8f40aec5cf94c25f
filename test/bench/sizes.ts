/**
 * What a record of each dataset takes in the log, and its rows in the store after its merges. It writes what it finds beside
 * the declarations, and `npm run docs` shows it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Received } from '../../pipelines/rails/log/log.ts'
import { readAlong } from '../../pipelines/rails/log/open-log.ts'
import { Order } from '../../pipelines/rails/log/order.ts'
import { attachStore, openStore } from '../../pipelines/rails/store/open-store.ts'
import { sorted } from '../../pipelines/workers/insertion.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { settlements } from '../../schemas/settlements.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'
import { origins } from '../../services/origins/index.ts'
import { startSandbox } from '../../services/sandbox/sandbox.ts'
import { payingClient } from '../../services/sandbox/wallet.ts'

const calls = 100_000
const polls = 100_000
const atOnce = 10_000
const from = Date.parse('2026-11-20T00:00:00Z')
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

/** The two events of a call that is paid for. */
function* sales() {
  for (let n = 0; n < calls; n++) {
    const sale = {
      spend_id: hash(`spend ${n}`),
      request_id: crypto.randomUUID(),
      origin: 'data',
      operation: ['exchangeRate', 'weatherForecast', 'secFinancials', 'ipLookup'][n % 4],
      network: n % 3 ? 'base' : 'solana',
      amount_usdc: ['0.002', '0.004', '0.03'][n % 3],
      payer: hex(20),
      pay_to: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
      question_sha256: hash(`question ${n % 5000}`),
      answer_sha256: hash(`answer ${n}`),
      resolved: false,
      reason: null,
    }
    const at = from + n * 100
    yield { ...sale, state: 'intended', at: new Date(at).toISOString(), payment_tx: null }
    yield { ...sale, state: 'settled', at: new Date(at + 800).toISOString(), payment_tx: hex(32) }
  }
}

function* ticks() {
  for (let n = 0; n < polls; n++) {
    const at = new Date(from + n * 5000).toISOString()
    const source = ['faa', 'ecb', 'alerts', 'sec_current', 'payments_base'][n % 5]
    const outcome = n % 7 ? 'unchanged' : 'changed'
    const took_ms = 50 + ((n * 7919) % 900)
    yield {
      source,
      at,
      outcome,
      events: n % 7 ? 0 : 12,
      took_ms,
      error: null,
      good_at: at,
      cursor: `{"etag":"${n >> 5}"}`,
    }
  }
}

/** Fewer rows say nothing: their files have heads. */
const fewest = 40
const file = new URL('../../schemas/measured-sizes.json', import.meta.url)

interface Measured {
  /** Bytes of a record with its key, and of a row. */
  record: number
  row?: number
}

export async function sizes(): Promise<void> {
  const found = { ...(await ofSandbox()), ...(await ofMany()) }
  const sorted = Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => a.localeCompare(b)))
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`)
  for (const [name, { record, row }] of Object.entries(sorted))
    console.log(`${name}: ${record} bytes a record${row === undefined ? '' : `, ${row} bytes a row`}`)
}

const rounded = (bytes: number): number => (bytes < 100 ? Math.round(bytes * 10) / 10 : Math.round(bytes))

/** What the sources bring to a sandbox on its samples, and one call of each operation. */
async function ofSandbox(): Promise<Record<string, Measured>> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const free = { PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' }
  const env = { DATA_DIR: folder, LOG_LEVEL: 'silent', ...free }
  const sandbox = await startSandbox(env, { live: async () => false })
  const store = await attachStore(
    `embedded:${join(dirname(sandbox.logUrl.slice('sqlite:'.length)), 'clickhouse')}`,
  )
  try {
    const [chain] = sandbox.chains
    if (!chain) throw new Error('the sandbox has no chain')
    const pay = wrapFetchWithPayment(fetch, await payingClient(chain))
    for (const { path, example } of origins.flatMap(origin => origin.operations))
      await pay(`${sandbox.service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(example.request),
        signal: AbortSignal.timeout(20_000),
      }).catch(error => console.log(`${path}: ${error.message}`))
    await sleep(20_000)
    const measured: Record<string, Measured> = {}
    for (const { name, topic, audience } of datasets) {
      let [records, bytes] = [0, 0]
      const reading = await readAlong(sandbox.logUrl, topic, batch => {
        records += batch.length
        for (const { key, value } of batch) bytes += Buffer.byteLength(key) + Buffer.byteLength(value ?? '')
      })
      await reading.caughtUp
      await reading.close()
      const [kept] = await store.query<{ rows: string; bytes: string }>(
        `select sum(rows) as rows, sum(data_compressed_bytes) as bytes from system.parts where active and database like 'farebox%' and table = '${name}'`,
      )
      const rows = audience === 'log' ? 0 : Number(kept?.rows)
      if (records > 0)
        measured[name] = {
          record: rounded(bytes / records),
          ...(rows >= fewest && { row: rounded(Number(kept?.bytes) / rows) }),
        }
    }
    return measured
  } finally {
    await store.close()
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ofMany(): Promise<Record<string, Measured>> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const store = await openStore(`embedded:${folder}`)
  const measured: Record<string, Measured> = {}
  for (const [given, events] of [
    [settlements, sales()],
    [sourceTicks, ticks()],
  ] as const) {
    const dataset = given as unknown as Dataset
    // A receipt says whether a canary has bought it.
    await store.apply([dataset, canaryPurchases as unknown as Dataset])
    let bytes = 0
    let batch: Received[] = []
    let offset = 0n
    const order = new Order()
    const insert = async () => {
      const { rows, refused } = sorted(dataset, batch, order)
      if (refused[0]) throw new Error(refused[0].reason)
      await store.insert(dataset, rows)
      batch = []
    }
    for (const event of events) {
      const [key, value] = [dataset.keyOf(event as never), JSON.stringify(event)]
      bytes += key.length + value.length
      batch.push({
        topic: dataset.topic.name,
        partition: 0,
        offset: offset++,
        at: Date.parse(event.at),
        key,
        value,
      })
      if (batch.length === atOnce) await insert()
    }
    await insert()
    await store.examine(`optimize table ${dataset.name} final`)
    const [kept] = await store.query<{ bytes: string }>(
      `select sum(bytes_on_disk) as bytes from system.parts where active and database = 'farebox' and table = '${dataset.name}'`,
    )
    const count = Number(offset)
    measured[dataset.name] = { record: rounded(bytes / count), row: rounded(Number(kept?.bytes) / count) }
  }
  await store.close()
  rmSync(folder, { recursive: true, force: true })
  return measured
}
