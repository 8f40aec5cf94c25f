/** How long a till takes to start beside a log of a million settlements, on SQLite and on Kafka, and beside an empty one. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import type { Entry, Log } from '../../pipelines/rails/log/log.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { settlements } from '../../schemas/settlements.ts'
import { tillOpen } from '../../schemas/till-open.ts'
import { tillPromises } from '../../schemas/till-promises.ts'
import { tillSecrets } from '../../schemas/till-secrets.ts'
import { instant } from '../../schemas/values/values.ts'
import { openPurchase } from '../../services/till/ledger/purchase.ts'
import { entryOf, settlementOf } from '../../services/till/ledger/steps.ts'
import { openTill } from '../../services/till/open-till.ts'
import { startBroker } from '../contracts/kafka-broker.ts'
import { payTo } from './servers/serving.ts'

const many = Number(process.env.BENCH_SETTLEMENTS ?? 1_000_000)
/** What came after the checkpoint. */
const recent = 10_000
const atOnce = 500
const topics = [settlements, tillPromises, tillOpen, tillSecrets].map(({ topic }) => topic)

export async function starts(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-starts-'))
  const broker = await startBroker()
  try {
    await compare('SQLite', name => `sqlite:${folder}/${name}.db`, folder)
    if ('skipped' in broker) console.log(`start        ${broker.skipped}`)
    else await compare('Kafka', () => `kafka://${broker.brokers.join(',')}`, folder)
  } finally {
    if (!('skipped' in broker)) await broker.stop()
    rmSync(folder, { recursive: true })
  }
}

async function compare(title: string, urlOf: (name: string) => string, folder: string): Promise<void> {
  const url = urlOf('history')
  const empty = await startMs(urlOf('empty'), folder)
  const log = await openLog(url, { topics })
  await write(log, many)
  const [end = 0n] = (await log.end(tillPromises.topic)).values()
  const checkpoint = { place: 'checkpoint', position: String(end), purchase: null }
  await log.append(tillOpen.topic, [{ key: checkpoint.place, value: JSON.stringify(checkpoint) }])
  await write(log, recent)
  await log.close()
  const full = await startMs(url, folder)
  console.log(
    `start        ${title}: beside nothing ${shown(empty)}, beside ${many.toLocaleString('en')} settlements ${shown(full)}`,
  )
}

const shown = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

/** From the opened log to a till that sells. */
async function startMs(url: string, folder: string): Promise<number> {
  const [log, blobs] = await Promise.all([openLog(url, { topics }), openBlobs(`file:${folder}/blobs`)])
  const startedAt = performance.now()
  const till = await openTill({
    origins: [],
    log,
    blobs,
    now: Date.now,
    config: {
      facilitators: [{ url: 'http://127.0.0.1:9' }],
      payTo: [{ name: 'base', address: payTo }],
      rpcUrls: {},
    },
  })
  const tookMs = performance.now() - startedAt
  await till.close()
  await Promise.all([log.close(), blobs.close()])
  return tookMs
}

async function write(log: Log, count: number): Promise<void> {
  for (let written = 0; written < count; written += atOnce) {
    const promises: Entry[] = []
    const told: Entry[] = []
    for (let i = 0; i < atOnce; i++) {
      const purchase = soldOnce()
      const { spendId, requestId, promised } = purchase
      const step = { spend_id: spendId, request_id: requestId }
      const at = promised.promised_at
      promises.push(entryOf('a run of before', at, { step: 'promised', ...step, promised }))
      promises.push(entryOf('a run of before', at, { step: 'delivered', ...step, payment_tx: spendId }))
      const event = settlementOf(purchase, 'settled', at, { payment_tx: spendId })
      told.push({ key: spendId, value: JSON.stringify(event) })
    }
    await Promise.all([log.append(tillPromises.topic, promises), log.append(settlements.topic, told)])
  }
}

function soldOnce() {
  const spendId = createHash('sha256').update(randomUUID()).digest('hex')
  const at = instant(Date.now())
  const promised = {
    since: null,
    promised_at: at,
    origin: 'data',
    operation: 'exchangeRate',
    network: 'base' as const,
    price_usdc: '0.002',
    payer: payTo,
    pay_to: payTo,
    fingerprint: spendId,
    caller: null,
    question_sha256: spendId,
    answer_sha256: spendId,
    holds_secret: false,
    hash_key: '',
    paying: null,
    dead_at: at,
    answer: '{"from":"USD","to":"JPY","rate":159.83396,"converted":15983.396,"rate_date":"2026-04-13"}',
    trace: { network: 'eip155:8453', from: payTo, to: payTo, value: '2000', nonce: spendId, valid_before: 0 },
  }
  return openPurchase({
    spendId,
    requestId: randomUUID(),
    keys: [],
    promised,
    holder: undefined,
    writtenAt: Date.now(),
    isWritten: true,
  })
}
