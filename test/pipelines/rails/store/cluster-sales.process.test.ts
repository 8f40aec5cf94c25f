/** A seller and its sinks over two real shards. One of them is killed while sales go on: they do, and the store has every one of them once. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteLog } from '../../../../pipelines/rails/log/sqlite-log.ts'
import { fxRates } from '../../../../schemas/fx-rates.ts'
import { datasets } from '../../../../schemas/index.ts'
import { sourceTicks } from '../../../../schemas/source-ticks.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { readConfig } from '../../../../services/config/config.ts'
import { startService } from '../../../../services/roles/service.ts'
import { startClickHouseCluster } from '../../../contracts/clickhouse-cluster.ts'
import { scratchFolder } from '../../../scratch.ts'
import { header, payTo, payToSolana, signed } from '../../../services/till/paying.ts'
import { startStubFacilitator } from '../../../services/till/stub-facilitator.ts'
import { silentUpstreams } from '../../../silent-upstreams.ts'
import { until } from '../../../until.ts'

const longMs = 300_000

it.skipIf(!process.env.LONG_FORM)('sales go on while a shard is dead, and are all in the store', async () => {
  const folder = scratchFolder()
  const problems: string[] = []
  const cluster = await startClickHouseCluster(folder, name => problems.push(name))
  onTestFinished(() => cluster.close())
  const now = instant(Date.now())
  const topics = datasets.map(({ topic }) => topic)
  const log = await openSqliteLog(`${folder}/log.db`, { topics })
  const tick = {
    source: 'ecb',
    at: now,
    outcome: 'changed',
    events: 1,
    took_ms: 1,
    error: null,
    good_at: now,
  }
  await log.append(sourceTicks.topic, [{ key: 'ecb', value: JSON.stringify({ ...tick, cursor: 'null' }) }])
  const rates = { day: now.slice(0, 10), rates: { USD: '1.1', JPY: '180' } }
  await log.append(fxRates.topic, [{ key: rates.day, value: JSON.stringify(rates) }])
  await log.close()

  const facilitator = await startStubFacilitator()
  onTestFinished(() => facilitator.close())
  const service = await startService(
    readConfig({
      ...{ DATA_DIR: folder, LOG_URL: `sqlite:${join(folder, 'log.db')}`, PORT: '0', LOG_LEVEL: 'silent' },
      ...{ STORE_URL: cluster.url, STORE_CLUSTER: 'farebox' },
      ...{ PAY_TO_BASE: payTo, PAY_TO_SOLANA: payToSolana, FACILITATOR_URL: facilitator.url },
      ...{ BASE_RPC_URL: 'http://127.0.0.1:9', SOLANA_RPC_URL: 'http://127.0.0.1:9' },
      ...silentUpstreams,
    }),
  )
  onTestFinished(() => service.close())
  await until(async () => (await fetch(`${service.url}/health/ready`)).ok, 'the seller to be ready', longMs)

  const sold: string[] = []
  const sell = async (many: number) => {
    for (let n = 0; n < many; n++) {
      const quote = await fetch(`${service.url}/fx`, { method: 'POST' })
      const [offer] = JSON.parse(
        Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString(),
      ).accepts
      const paid = header({ ...(await signed({ value: offer.amount })), accepted: offer })
      const answer = await fetch(`${service.url}/fx`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'payment-signature': paid },
        body: '{"from":"USD","to":"JPY"}',
      })
      const told = (await answer.json()) as { receipt: { request_id: string } }
      expect([answer.status, told]).toMatchObject([200, { receipt: { charged: true } }])
      sold.push(told.receipt.request_id)
    }
  }
  const asAnalyst = async (shard: number, body: string) => {
    const url = `${cluster.shards[shard]?.address.http}/?database=farebox&user=analyst&wait_end_of_query=1`
    const answer = await fetch(url, { method: 'POST', body }).catch(() => undefined)
    return answer ? (await answer.text()).trim() : ''
  }
  const inStore = async (shard: number) =>
    (await asAnalyst(shard, 'select request_id from receipts format TSV')).split('\n').toSorted()

  await sell(10)
  await until(async () => (await inStore(0)).length === 10, 'the first sales in the store', longMs)
  process.kill(cluster.shards[1]?.pid() as number, 'SIGKILL')
  await sell(40)
  await until(async () => (await inStore(1)).length === sold.length, 'every sale in the store', longMs)
  expect(problems).toEqual(['engine'])
  for (const shard of [0, 1]) expect(await inStore(shard)).toEqual(sold.toSorted())
  const own = await Promise.all(
    cluster.shards.map(({ address, password }) =>
      fetch(`${address.http}/?user=farebox&password=${password}`, {
        method: 'POST',
        body: "select count() from farebox_local.settlements final where state = 'settled'",
      }).then(answer => answer.text()),
    ),
  )
  expect(own.map(Number).every(count => count > 5)).toBe(true)
  expect(own.map(Number).reduce((sum, count) => sum + count)).toBe(sold.length)

  // The limits of analysts are those of both.
  for (const shard of [0, 1]) {
    expect(await asAnalyst(shard, 'select number from numbers(1000001)')).toContain('TOO_MANY_ROWS_OR_BYTES')
    expect(await asAnalyst(shard, 'select 1 settings max_memory_usage = 0')).toContain('max_memory_usage')
    expect(await asAnalyst(shard, 'select 1 settings max_execution_time = 999')).toContain(
      'max_execution_time',
    )
  }
})
