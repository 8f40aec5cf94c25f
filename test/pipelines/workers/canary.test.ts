/** A canary beside a log of one file: what it brings is taken in, and metrics tell how it fares. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entryOf } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { openGuestLog } from '../../../pipelines/rails/log/sqlite-guest.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { canaryWatch } from '../../../pipelines/workers/canary.ts'
import { type CanaryPurchase, canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

const start = Date.parse('2026-11-28T10:00:00Z')
const step = (
  state: CanaryPurchase['state'],
  minute: number,
  purchase_id = randomUUID(),
): CanaryPurchase => ({
  ...{ purchase_id, state, at: instant(start + minute * 60_000), network: 'base', operation: '/fx' },
  ...{ price_usdc: '0.002', payer: '0xab', pay_to: '0xcd', request_id: null, payment_tx: null },
  ...{ failed_step: state === 'failed' ? ('chain' as const) : null, reason: null, took_ms: null },
  next_at: instant(start + (minute + 60) * 60_000),
})

async function gauge(metric: typeof metrics.canaryDue): Promise<number | undefined> {
  const { values } = await metric.get()
  return values.find(({ labels }) => labels.network === 'base')?.value
}

it('takes in what a guest has left, once, and nothing else', async () => {
  const folder = scratchFolder()
  const file = `${folder}/log.db`
  const topics = [canaryPurchases.topic, settlements.topic]
  const log = await openLog(`sqlite:${file}`, { topics })
  const at = { now: start }
  const alone = (_: string, open: (own: object) => unknown) => open({ log })
  const read = () => `sqlite:${file}`
  const worker = await canaryWatch.open({
    ...{ alone, read, now: () => at.now },
    onFailed: (_: string, error: unknown) => expect.fail(String(error)),
  } as never)
  const guest = openGuestLog(file)
  const heard: string[] = []
  const watching = await guest.watch(canaryPurchases.topic, batch => {
    for (const { value } of batch) heard.push((JSON.parse(value ?? '{}') as CanaryPurchase).state)
  })

  const say = async (...said: CanaryPurchase[]) => {
    for (const one of said) await guest.append(canaryPurchases.topic, [entryOf(canaryPurchases, one)])
    const count = heard.length + said.length
    await until(() => heard.length >= count, 'the log has them')
  }
  const first = randomUUID()
  await say(step('intended', 0, first), step('good', 1, first))
  // Whoever may write here may say what a canary may say, and no more.
  await guest.append(settlements.topic, [{ key: 'a', value: '{}' }])
  await guest.append(canaryPurchases.topic, [{ key: 'a', value: '{"state":"good"}' }])
  mkdirSync(join(folder, 'brought'), { recursive: true })
  writeFileSync(join(folder, 'brought', '1-x.json'), 'no JSON')
  await until(() => readdirSync(join(folder, 'brought')).length === 0, 'the folder is empty')
  expect(heard).toEqual(['intended', 'good'])
  expect((await log.end(settlements.topic)).get(0)).toBe(1n)

  await until(
    async () => (await gauge(metrics.canaryGood)) === (start + 60_000) / 1000,
    'the good one is told',
  )
  expect(await gauge(metrics.canaryFailed)).toBe(0)
  expect(await gauge(metrics.canaryDue)).toBe((start + 61 * 60_000) / 1000)
  await say(
    step('intended', 61),
    step('failed', 62),
    step('intended', 66),
    step('failed', 67),
    step('skipped', 68),
  )
  await until(async () => (await gauge(metrics.canaryFailed)) === 2, 'both failures are told')
  // The one that found no room was not paid.
  expect(await gauge(metrics.canarySpent)).toBe(0.004)

  // A day later nothing is spent yet. After a week it is forgotten, and no alarm rings for ever.
  at.now = start + 86_400_000
  await until(async () => (await gauge(metrics.canarySpent)) === 0, 'the next day')
  at.now = start + 8 * 86_400_000
  await until(async () => (await gauge(metrics.canaryDue)) === undefined, 'it is forgotten')
  await watching.close()
  await guest.close()
  await worker.close()
  await log.close()
})
