/** Fires every alert that one machine can cause, by its cause: a real service, a real Prometheus, faster windows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../pipelines/rails/store/embedded.ts'
import { leaveOrder } from '../../pipelines/workers/refunds/orders.ts'
import { readConfig } from '../../services/config/config.ts'
import { type Service, startService } from '../../services/roles/service.ts'
import { nestedFile, nestedPlace } from '../pipelines/lookups/ip/databases.ts'
import { startEcb } from '../pipelines/sources/ecb-upstream.ts'
import { faaXml, groundStop } from '../pipelines/sources/faa-upstream.ts'
import { header, payTo, payToSolana, signed } from '../services/till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../services/till/stub-facilitator.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { installed, Prometheus } from './prometheus.ts'
import { alerts } from './queries.ts'

/** Faster windows need an idle machine, so this belongs to the long form. */
const able = process.env.LONG_FORM && installed('prometheus')

/** An hour of the rules takes 30 seconds here. */
const faster = 120
const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const scaled = (count: string, unit: string) => `${(Number(count) * (unitMs[unit] as number)) / faster}ms`

/** Counts of seconds or records are as much smaller. The limits of sources are a quarter, because sources poll once a minute. */
const rules = (text: string) =>
  text
    .replaceAll(/\[(\d+)([smhd])\]/g, (_, count, unit) => `[${scaled(count, unit)}]`)
    .replaceAll(/(offset |for: )(\d+)([smhd])\b/g, (_, what, count, unit) => what + scaled(count, unit))
    .replaceAll('(farebox_source_silent_after_seconds)', '(farebox_source_silent_after_seconds / 4)')
    .replace('(farebox_log_lag_records) > 1000', '(farebox_log_lag_records) > 8')
    .replace('(farebox_log_lag_seconds) > 300', '(farebox_log_lag_seconds) > 2.5')

async function upstream(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

describe.skipIf(!able)(
  able ? 'every alert' : 'every alert, but LONG_FORM is unset or Prometheus is not installed',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-fired-'))
    const prometheus = new Prometheus()
    const closing: (() => Promise<unknown>)[] = []
    let service: Service
    let facilitator: StubFacilitator
    let engine: Engine
    let faa: Awaited<ReturnType<typeof upstream>>

    const quoted = (path = '/airport/status') => fetch(`${service.url}${path}`, { method: 'POST' })
    async function bought(path: string, body: string, signal: AbortSignal | null = null): Promise<Response> {
      const asked = await quoted(path)
      const offered = asked.headers.get('payment-required')
      if (offered === null) return asked
      const { accepts } = JSON.parse(Buffer.from(offered, 'base64').toString())
      const payment = header({ ...(await signed({ value: accepts[0].amount })), accepted: accepts[0] })
      const headers = { 'content-type': 'application/json', 'payment-signature': payment }
      return fetch(`${service.url}${path}`, { method: 'POST', headers, body, signal })
    }
    const buy = async (signal?: AbortSignal) =>
      (await bought('/airport/status', '{"airport":"SFO"}', signal)).status
    async function orderRefund(): Promise<void> {
      const answer = await bought('/airport/status', '{"airport":"SFO"}')
      const { receipt } = (await answer.json()) as { receipt: { request_id: string } }
      leaveOrder(join(folder, 'log.db'), { requestId: receipt.request_id, reason: null })
    }
    /** Does the alert fire, or has it fired? */
    const fired = async (alert: string, labels = '') =>
      (
        await prometheus.query(
          `max_over_time(ALERTS{alertname="${alert}", alertstate="firing"${labels}}[1h])`,
        )
      ).length > 0
    const fires = (alert: string, labels?: string) =>
      until(() => fired(alert, labels), `${alert} to fire`, 120_000)

    beforeAll(async () => {
      const ecb = await startEcb()
      facilitator = await startStubFacilitator()
      faa = await upstream((_, response) =>
        response.end(
          faaXml(
            new Date().toISOString(),
            groundStop('SFO').replace('</Program>', '<Colour>red</Colour></Program>'),
          ),
        ),
      )
      const nws = await upstream((_, response) =>
        response.end('{"type":"FeatureCollection","features":[{"properties":{"id":7}}]}'),
      )
      engine = await startEngine({
        folder: join(folder, 'clickhouse'),
        httpPort: 0,
        tcpPort: 0,
        usersFile: 'deploy/clickhouse/users.xml',
        analystPassword: '',
        onProblem: () => {},
      })
      const old = new Date(Date.now() - 80 * 86_400_000).toISOString()
      const notInEu = { '36.0.0.0/14': nestedPlace('FR', 'Paris', false) }
      writeFileSync(join(folder, 'old.mmdb'), nestedFile(old, { networks: notInEu }))
      service = await startService(
        readConfig({
          DATA_DIR: folder,
          PORT: '0',
          // A fast machine buys hundreds of answers a minute.
          RATE_LIMIT: '1000000',
          LOG_LEVEL: 'silent',
          STORE_URL: `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`,
          PAY_TO_BASE: payTo,
          PAY_TO_SOLANA: payToSolana,
          FACILITATOR_URL: facilitator.url,
          BASE_RPC_URL: 'http://127.0.0.1:9',
          SOLANA_RPC_URL: 'http://127.0.0.1:9',
          ...silentUpstreams,
          ECB_URL: ecb.url,
          FAA_URL: faa.url,
          NWS_URL: nws.url,
          IP_DATABASE: join(folder, 'old.mmdb'),
          REFUND_KEY_BASE: generatePrivateKey(),
          REFUND_USDC_A_DAY: '0.0025',
        }),
      )
      closing.push(
        () => service.close(),
        ecb.close,
        () => facilitator.close(),
        nws.close,
        () => engine.close(),
      )
      const own = new URL(service.url).host
      // Nothing listens at the second seller, and no worker runs.
      await prometheus.start(
        { ingest: [own], query: [own, '127.0.0.1:9'], worker: [] },
        { every: '500ms', rules },
      )
    })
    afterAll(async () => {
      await prometheus.stop()
      for (const close of closing) await close().catch(() => {})
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    })

    it('fires by its cause', async () => {
      await until(async () => (await buy()) === 200, 'a first sale', 60_000)
      // It is dearer than what a day may pay back.
      await orderRefund()
      await fires('InstanceDown')
      await fires('RoleGone', ', job="worker"')
      await fires('SourceSilent', ', source="catalog"')
      await fires('IpDatabaseOld')
      await fires('EuListsDisagree', ', country="FR"')
      await fires('EventsRejected', ', topic="weather.alerts"')
      await fires('UpstreamDrifts', ', source="faa"')
      await fires('RefundBudgetSpent', ', state="day_spent"')
      for (const healthy of ['FacilitatorDown', 'StoreDown', 'PaymentsUnresolved', 'ServerErrors'])
        expect(await fired(healthy), healthy).toBe(false)
      await faa.close()

      // Sales go on while the store is away, and nothing takes them from the log.
      await engine.close()
      await until(
        async () => {
          expect(await buy()).toBe(200)
          return fired('SinkLagGrowing', ', topic="settlements"')
        },
        'SinkLagGrowing to fire',
        60_000,
      )
      await fires('StoreDown')
      await fires('SinkLate', ', topic="settlements"')

      // Callers ask, but nobody buys.
      await until(
        async () => {
          await quoted()
          return (await fired('RevenueStopped')) && (await fired('ConversionHalved'))
        },
        'RevenueStopped and ConversionHalved to fire',
        120_000,
      )

      // The facilitator has sent the money, but neither it nor a node of the chain says so.
      facilitator.settle = 'error after'
      const unknown = buy()
      await fires('PaymentsUnresolved')
      await fires('BudgetBurnsFast', ', slo="money"')

      await facilitator.close()
      await until(
        async () => {
          // One that went out on a connection whose end was not heard of yet is unknown, and waits for the chain for two minutes.
          await buy(AbortSignal.timeout(5_000)).catch(() => {})
          return fired('ServerErrors', ', operation="airportDelays"')
        },
        'ServerErrors to fire',
        60_000,
      )
      await fires('FacilitatorDown')
      await fires('BudgetBurnsFast', ', slo="availability"')
      await fires('SourceStale', ', source="faa"')
      await fires('BudgetBurnsFast', ', slo="freshness", source="faa"')
      await fires('BudgetBurnsSlowly')
      await unknown.catch(() => {})

      const ever = await prometheus.query(
        'group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[1h]))',
      )
      const names = ever.map(({ metric }) => metric.alertname)
      // These alerts need a broken record, a bucket, wrong rows, a canary, brokers, a full disk, several processes, days, pages or subscribers. Only promtool fires them.
      // Rows are checked every ten minutes by the clock, which may come after the store has gone.
      const wanted = alerts.map(({ alert }) => alert).filter(alert => alert !== 'DataCheckFailed')
      expect(wanted.filter(alert => !names.includes(alert))).toEqual([
        'TransferCreditedTwice',
        'PaymentsUnread',
        'AnswersOwed',
        'RefundsDue',
        'RefundStuck',
        'FacilitatorLies',
        'RefusedPaymentMoved',
        'PaymentTakenBack',
        'FinalityLate',
        'CanaryFails',
        'CanarySilent',
        'TransfersUnexplained',
        'BooksDiffer',
        'DayNotClosed',
        'CostsAboveRevenue',
        'PricesRefused',
        'PricesDiffer',
        'SettleGasLow',
        'DutyVacant',
        'StoreDiskFull',
        'StoreParts',
        'StoreMemory',
        'StoreMutationsStuck',
        'StoreReadonly',
        'BrokerMissing',
        'CopiesBehind',
        'PartitionLeaderless',
        'LogDiskFull',
        'BlobsFailing',
        'RenderingsFail',
        'AttestationsUnsigned',
        'DataCheckStopped',
        'ChecksLate',
        'ChecksUnknown',
        'WebhooksLate',
        'WebhooksFail',
      ])
    }, 600_000)
  },
)
