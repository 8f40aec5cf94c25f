/**
 * An older version sells beside a newer one, which writes one column more, and events that the older one cannot read. What it
 * can read it sells. Of the rest it sells nothing, and charges nothing.
 */
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteLog } from '../../pipelines/rails/log/sqlite-log.ts'
import { airportEvents, theFeed } from '../../schemas/airport-events.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { datasets } from '../../schemas/index.ts'
import { settlements } from '../../schemas/settlements.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'
import { instant } from '../../schemas/values/values.ts'
import { readConfig } from '../../services/config/config.ts'
import { startService } from '../../services/roles/service.ts'
import { scratchFolder } from '../scratch.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { header, payTo, payToSolana, signed } from './till/paying.ts'
import { startStubFacilitator } from './till/stub-facilitator.ts'

const now = instant(Date.now())
const today = now.slice(0, 10)
const closure = {
  ...{ type: 'closure', reason: 'snow', average_delay: null, min_delay: null, max_delay: null, trend: null },
  ...{ starts_at: null, ends_at: null, start_text: null, end_text: null, end_estimated: false, hours: [] },
  ...{ affects_airline_flights: true, shuts: 'airport' },
}
const airport = (name: string, events: object[], airports: string[] = []) => ({
  ...{ airport: name, feed_updated: now, events, dated: true, airports, airspace_programs: 0 },
  unread_lists: [],
})
const tick = (source: string) => ({
  ...{ source, at: now, outcome: 'changed', events: 1, took_ms: 1, error: null, good_at: now },
  cursor: 'null',
})

it('an older version sells what it can read beside a newer one, and nothing as fresh that it cannot', async () => {
  const folder = scratchFolder()
  const topics = datasets.map(({ topic }) => topic)
  const log = await openSqliteLog(`${folder}/log.db`, { topics })
  const newer = (row: object) => JSON.stringify({ ...row, of_a_newer_version: 'x' })
  await log.append(
    sourceTicks.topic,
    ['ecb', 'faa'].map(source => ({ key: source, value: newer(tick(source)) })),
  )
  const rates = { day: today, rates: { USD: '1.1', JPY: '180' } }
  await log.append(fxRates.topic, [{ key: today, value: newer(rates) }])
  await log.append(airportEvents.topic, [
    { key: 'JFK', value: JSON.stringify(airport('JFK', [])) },
    { key: 'JFK', value: JSON.stringify(airport('JFK', [{ ...closure, type: 'closed_by_drones' }])) },
    { key: theFeed, value: newer(airport(theFeed, [], ['JFK'])) },
  ])
  await log.close()

  const facilitator = await startStubFacilitator()
  const config = readConfig({
    ...{ DATA_DIR: folder, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0', LOG_LEVEL: 'silent' },
    ...{ PAY_TO_BASE: payTo, PAY_TO_SOLANA: payToSolana, FACILITATOR_URL: facilitator.url },
    ...{ BASE_RPC_URL: 'http://127.0.0.1:9', SOLANA_RPC_URL: 'http://127.0.0.1:9' },
    ...silentUpstreams,
  })
  const service = await startService(config)
  onTestFinished(async () => {
    await service.close()
    await facilitator.close()
  })
  await until(async () => (await fetch(`${service.url}/health/ready`)).ok, 'the seller to be ready', 60_000)

  const buy = async (path: string, question: object) => {
    const quote = await fetch(`${service.url}${path}`, { method: 'POST' })
    const { accepts } = JSON.parse(
      Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString(),
    )
    const paid = header({ ...(await signed({ value: accepts[0].amount })), accepted: accepts[0] })
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': paid },
      body: JSON.stringify(question),
    })
    return [answer.status, await answer.json()] as const
  }
  expect(await buy('/fx', { from: 'USD', to: 'JPY' })).toMatchObject([
    200,
    { rate: 163.63636, receipt: { charged: true } },
  ])
  expect(await buy('/airport/status', { airport: 'JFK' })).toMatchObject([
    502,
    { error: 'stale_data', charged: false },
  ])
  const page = await (await fetch(`${service.url}/metrics`)).text()
  expect(page).toContain(`farebox_log_newer_events_total{topic="${fxRates.topic.name}"}`)
  expect(page).toContain(`farebox_log_unread_events_total{topic="${airportEvents.topic.name}"} 1`)
  await service.close()

  // The sinks have stored the sale, and have left to a newer version what only that one can store.
  const after = await openSqliteLog(`${folder}/log.db`, { topics })
  onTestFinished(() => after.close())
  expect(await after.lag(fxRates.topic, 'sink')).toBe(1)
  expect(await after.lag(sourceTicks.topic, 'sink')).toBeGreaterThanOrEqual(2)
  expect(await after.lag(settlements.topic, 'sink')).toBe(0)
})
