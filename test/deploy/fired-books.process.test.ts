/**
 * The alerts of the books, each by its cause: a sale that is in no block, and an operation that costs more than it brings. A real service
 * over a log of two days, a real Prometheus.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entryOf } from '../../pipelines/rails/log/log.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { type ChainPayment, chainPayments } from '../../schemas/chain-payments.ts'
import { type ChainRange, chainRanges } from '../../schemas/chain-ranges.ts'
import { datasets } from '../../schemas/index.ts'
import { settlements } from '../../schemas/settlements.ts'
import { instant } from '../../schemas/values/values.ts'
import { readConfig } from '../../services/config/config.ts'
import { type Service, startService } from '../../services/roles/service.ts'
import { freePort } from '../faults/free-port.ts'
import { settlement } from '../schemas/settlement.ts'
import { payTo, payToSolana } from '../services/till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../services/till/stub-facilitator.ts'
import { nobody, silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { installed, Prometheus } from './prometheus.ts'

const able = process.env.LONG_FORM && installed('prometheus')

const hourMs = 3_600_000
const nowMs = Date.now()
/** The middle of the day before yesterday. */
const soldMs = Date.parse(`${instant(nowMs - 48 * hourMs).slice(0, 10)}T12:00:00.000Z`)
const payer = '0x00000000000000000000000000000000000000aa'
/** One that the chain has, and one that it has not. */
const [good, missing] = ['0x11', '0x22']

const sold = (payment_tx: string, at: number) =>
  settlement(`sale ${payment_tx}`, {
    ...{ at: instant(at), request_id: `of-${payment_tx}`, payer, pay_to: payTo, payment_tx },
  })
const moved: ChainPayment = {
  ...{ network: 'base', at: instant(soldMs), tx: good, position: 1, block: 10, payer },
  ...{ pay_to: payTo.toLowerCase(), amount: '0.002', asset: '0xc', method: 'eip3009', facilitator: '0xf' },
  ...{ nonce: null, provisional: false, withdrawn: false },
}
const read: ChainRange = {
  ...{ network: 'base', from_block: 0, to_block: 1000, from_at: instant(soldMs - 12 * hourMs) },
  ...{ to_at: instant(nowMs), sellers_after: instant(0), sellers_until: instant(1), wallets: 1, payments: 1 },
  ...{ plain: 0, unread: 0, last_hash: '' },
}

describe.skipIf(!able)(
  able
    ? 'the alerts of the books'
    : 'the alerts of the books, but LONG_FORM is unset or Prometheus is not installed',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-fired-books-'))
    const logUrl = `sqlite:${join(folder, 'log.db')}`
    const prometheus = new Prometheus()
    let facilitator: StubFacilitator
    let service: Service
    let storePort: number

    beforeAll(async () => {
      const log = await openLog(logUrl, { topics: datasets.map(({ topic }) => topic) })
      const sales = [sold(good, soldMs), sold(missing, soldMs + hourMs)]
      await log.append(
        settlements.topic,
        sales.map(one => entryOf(settlements, one)),
      )
      await log.append(chainPayments.topic, [entryOf(chainPayments, moved)])
      await log.append(chainRanges.topic, [entryOf(chainRanges, read)])
      await log.close()
      // A facilitator that takes a dollar for a sale of a fifth of a cent.
      const costs = join(folder, 'costs.json')
      writeFileSync(costs, JSON.stringify({ facilitators: { base: { each: 1 } } }))
      facilitator = await startStubFacilitator()
      storePort = await freePort()
      service = await startService(
        readConfig({
          ...{
            DATA_DIR: folder,
            PORT: '0',
            LOG_LEVEL: 'silent',
            COSTS: costs,
            FACILITATOR_URL: facilitator.url,
          },
          ...{
            STORE_PORT: String(storePort),
            STORE_TCP_PORT: '0',
            PAY_TO_BASE: payTo,
            PAY_TO_SOLANA: payToSolana,
          },
          ...{ BASE_RPC_URL: nobody, SOLANA_RPC_URL: nobody, ...silentUpstreams },
        }),
      )
      const own = new URL(service.url).host
      // Two hours of the rules take ten seconds here.
      const rules = (text: string) => text.replaceAll('for: 2h', 'for: 10s')
      await prometheus.start({ ingest: [own], query: [own], worker: [own] }, { every: '500ms', rules })
    })
    afterAll(async () => {
      await prometheus.stop()
      await service?.close()
      await facilitator?.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    })

    const firing = async (alert: string) =>
      (await prometheus.query(`ALERTS{alertname="${alert}", alertstate="firing"}`)).map(
        ({ metric }) => metric,
      )
    const fires = (alert: string) =>
      until(async () => (await firing(alert)).length > 0, `${alert} to fire`, 120_000)
    const ends = (alert: string) =>
      until(async () => (await firing(alert)).length === 0, `${alert} to end`, 120_000)
    const books = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['services/commands/books.ts', ...args], {
        env: { ...process.env, LOG_URL: logUrl, STORE_PORT: String(storePort) },
      }).catch((failed: { code: number; stdout: string; stderr: string }) => failed)

    it('fire by their causes, and end when an operator has signed off what differs', async () => {
      await fires('BooksDiffer')
      await fires('DayNotClosed')
      expect((await firing('DayNotClosed')).map(({ network }) => network)).toEqual(['base'])
      await until(
        async () => (await books('check')).stdout.includes('sold, and nothing came'),
        'the difference by name',
        60_000,
      )
      expect((await books('check')).stdout).toContain(`${payer} in ${missing}`)

      const said = await books('explain', missing, '--note', 'a node had lost it', '--by', 'the operator')
      expect([said.stdout, said.stderr]).toEqual([
        `signed off: sold, and nothing came, ${payer}, of ${instant(soldMs).slice(0, 10)}\n`,
        '',
      ])
      await ends('BooksDiffer')
      await ends('DayNotClosed')
      const { stdout } = await books('check')
      expect(stdout).toContain('closed')
      expect(stdout).toContain('signed off by the operator')

      // The day is looked at again, and what it has cost with it.
      await fires('CostsAboveRevenue')
      expect((await firing('CostsAboveRevenue')).map(({ operation }) => operation)).toEqual(['exchangeRate'])
    }, 600_000)
  },
)
