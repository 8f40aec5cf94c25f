/** A whole service on a log with unreadable records in every topic: it starts, sells, and reports each record. */
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteLog } from '../../pipelines/rails/log/sqlite-log.ts'
import { readEvent } from '../../schemas/dataset/dataset.ts'
import { duties } from '../../schemas/duties.ts'
import { datasets } from '../../schemas/index.ts'
import { rejects } from '../../schemas/rejects.ts'
import { tillSecrets } from '../../schemas/till-secrets.ts'
import { readConfig } from '../../services/config/config.ts'
import { startService } from '../../services/roles/service.ts'
import { scratchFolder } from '../scratch.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { header, payTo, payToSolana, signed } from './till/paying.ts'
import { startStubFacilitator } from './till/stub-facilitator.ts'

const unreadable = ['{"cut', 'null', '7', '"a text"', '[]', '{}', '{"state":"settled","origin":"watch"}', '']

it('no reader stops at an unreadable record', async () => {
  const folder = scratchFolder()
  // A log with one process has no reader of duties.
  const topics = datasets.filter(({ name }) => name !== duties.name).map(({ topic }) => topic)
  // An unreadable record among the secrets of the till is not counted.
  const counted = topics.map(({ name }) => name).filter(name => name !== tillSecrets.topic.name)
  const log = await openSqliteLog(`${folder}/log.db`, { topics })
  for (const topic of topics)
    await log.append(
      topic,
      unreadable.map((value, n) => ({ key: `key-${n}`, value })),
    )
  await log.close()

  const facilitator = await startStubFacilitator()
  const config = readConfig({
    ...{ DATA_DIR: folder, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0', LOG_LEVEL: 'silent' },
    ...{ PAY_TO_BASE: payTo, PAY_TO_SOLANA: payToSolana, FACILITATOR_URL: facilitator.url },
    ...{ BASE_RPC_URL: 'http://127.0.0.1:9', SOLANA_RPC_URL: 'http://127.0.0.1:9' },
    ...{
      WEIGH_KEY: `0x${'5'.repeat(64)}`,
      ATTEST_KEY: `0x${'6'.repeat(64)}`,
      ATTEST_LOG_KEY: `0x${'7'.repeat(64)}`,
    },
    ...silentUpstreams,
  })
  const service = await startService(config)
  onTestFinished(async () => {
    await service.close()
    await facilitator.close()
  })
  const ended: unknown[] = []
  service.ended.catch(error => ended.push(error))
  await until(async () => (await fetch(`${service.url}/health/ready`)).ok, 'the seller to be ready', 60_000)

  const quote = await fetch(`${service.url}/fx`, { method: 'POST' })
  const { accepts } = JSON.parse(
    Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString(),
  )
  const paid = header({ ...(await signed({ value: accepts[0].amount })), accepted: accepts[0] })
  const answer = await fetch(`${service.url}/fx`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': paid },
    body: '{"from":"USD","to":"JPY"}',
  })
  // No key of theirs is their own, so they are nobody's rates, and there are no others: a free refusal.
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'not_ready', charged: false }])

  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  const isCounted = async () => {
    const page = await metrics()
    return counted.every(name => page.includes(`farebox_sink_rejects_total{topic="${name}"}`))
  }
  await until(isCounted, 'every topic to be counted', 60_000)
  expect(ended).toEqual([])
  await service.close()

  const after = await openSqliteLog(`${folder}/log.db`, { topics })
  onTestFinished(() => after.close())
  const told = new Set<string>()
  const watching = await after.watch(rejects.topic, batch => {
    for (const { value } of batch) {
      const { event } = readEvent(rejects, value ?? '')
      if (event) told.add(event.topic)
    }
  })
  await watching.caughtUp
  // An unreadable reject would be rejected without end, so it is only counted.
  const expected = counted.filter(name => name !== rejects.topic.name)
  expect([...told].toSorted()).toEqual(expected.toSorted())
})
