/**
 * Writes sales that never were into the log of LOG_URL, to see how long a disaster takes of them. It runs at the top of an image. Their records
 * are as large as those of sellers, which are sent alone and so are not packed: so are batches of this size.
 */
import { createHash } from 'node:crypto'
import type * as Logs from '../../../pipelines/rails/log/open-log.ts'
import type * as Settlements from '../../../schemas/settlements.ts'

const top = process.cwd()
const { openLog }: typeof Logs = await import(`${top}/pipelines/rails/log/open-log.ts`)
const { settlements }: typeof Settlements = await import(`${top}/schemas/settlements.ts`)

const many = Number(process.argv[2])
const ofBatch = 60
/** Nothing in it is like its neighbour, as in the hashes and addresses of sales. */
const hex = (n: number) => createHash('sha256').update(`${n}`).digest('hex')
const sale = (n: number) => ({
  ...{ spend_id: hex(n), at: new Date(Date.UTC(2026, 0, 1) + n).toISOString(), request_id: hex(n).slice(32) },
  ...{ origin: 'data', operation: 'exchangeRate', network: 'base', amount_usdc: '0.002' },
  ...{ payer: `0x${hex(n % 1_000).slice(24)}`, pay_to: `0x${hex(1).slice(24)}`, payment_position: 0 },
  ...{ question_sha256: hex(n), answer_sha256: hex(n), resolved: false, reason: null },
})
const log = await openLog(process.env.LOG_URL ?? '', { topics: [settlements.topic] })
for (let from = 0; from < many; from += ofBatch) {
  const batch = Array.from({ length: Math.min(ofBatch, many - from) }, (_, i) => sale(from + i))
  const entries = batch.flatMap(event => [
    { key: event.spend_id, value: JSON.stringify({ ...event, state: 'intended', payment_tx: null }) },
    {
      key: event.spend_id,
      value: JSON.stringify({ ...event, state: 'settled', payment_tx: `0x${event.spend_id}` }),
    },
  ])
  await log.append(settlements.topic, entries)
}
await log.close()
