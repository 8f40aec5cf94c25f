/** What a million calls and a day of polls take on disk: in the SQLite log, and in the store after its merges. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sorted } from '../../pipelines/insertion.ts'
import type { Received } from '../../pipelines/log/log.ts'
import { openStore } from '../../pipelines/store/open.ts'
import type { Dataset } from '../../schemas/dataset.ts'
import { settlements } from '../../schemas/settlements.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'

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

export async function sizes(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const store = await openStore(`embedded:${folder}`)
  console.log('')
  for (const [what, given, events, per] of [
    ['a million calls', settlements, sales(), calls / 1e6],
    ['a million polls', sourceTicks, ticks(), polls / 1e6],
  ] as const) {
    const dataset = given as unknown as Dataset
    await store.apply([dataset])
    let bytes = 0
    let batch: Received[] = []
    let offset = 0n
    const insert = async () => {
      const { rows, refused } = sorted(dataset, batch)
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
    const [kept] = await store.query<{ bytes: string }>(
      `select sum(bytes_on_disk) as bytes from system.parts where active and database = 'farebox' and table = '${dataset.name}'`,
    )
    const mb = (size: number) => `${Math.round(size / per / 1e6).toLocaleString('en')} MB`
    console.log(
      `${dataset.name}: ${what}: ${mb(bytes)} of records in the log (times the copies), ${mb(Number(kept?.bytes))} in the store`,
    )
  }
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
