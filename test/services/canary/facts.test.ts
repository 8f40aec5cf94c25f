/** The budget of a day is what the log says, for every canary and after every restart. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { type CanaryPurchase, canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { CanaryFacts } from '../../../services/canary/facts.ts'
import { scratchFolder } from '../../scratch.ts'

const intent = (price_usdc: string, at = '2026-11-28T10:00:00.000Z'): CanaryPurchase => ({
  ...{ purchase_id: randomUUID(), state: 'intended', at, network: 'base', operation: '/fx', price_usdc },
  ...{ payer: '0xab', pay_to: '0xcd', request_id: null, payment_tx: null, failed_step: null, reason: null },
  ...{ took_ms: null, next_at: at },
})
const soon = () => AbortSignal.timeout(10_000)
const open = (folder = scratchFolder()) =>
  openLog(`sqlite:${folder}/log.db`, { topics: [canaryPurchases.topic] })

it('has room until the day is spent, and none after a restart', async () => {
  const folder = scratchFolder()
  const spend = async (log: Log, ...prices: string[]) => {
    const facts = await CanaryFacts.open(log, 5000n)
    const counted: boolean[] = []
    for (const price of prices) counted.push(await facts.intend(intent(price), soon()))
    await facts.close()
    return counted
  }
  const log = await open(folder)
  expect(await spend(log, '0.002', '0.002')).toEqual([true, true])
  await log.close()
  const again = await open(folder)
  // What does not fit takes nothing from what fits.
  expect(await spend(again, '0.002', '0.001', '0.001')).toEqual([false, true, false])
  const facts = await CanaryFacts.open(again, 5000n)
  expect(await facts.intend(intent('0.002', '2026-11-29T00:00:00.000Z'), soon())).toBe(true)
  await facts.close()
  await again.close()
})

it('is shared by two canaries who ask at once', async () => {
  const log = await open()
  const both = [await CanaryFacts.open(log, 5000n), await CanaryFacts.open(log, 5000n)]
  const asked = both.flatMap(facts => [1, 2, 3].map(() => facts.intend(intent('0.001'), soon())))
  const counted = await Promise.all(asked)
  expect(counted.filter(Boolean)).toHaveLength(5)
  for (const facts of both) await facts.close()
  await log.close()
})

it('rejects where the log does not show the intent in time', async () => {
  const deaf = {
    append: async () => {},
    watch: async () => ({
      ...{ caughtUp: Promise.resolve(), reached: async () => {} },
      ...{ ended: new Promise<never>(() => {}), close: async () => {} },
    }),
  }
  const facts = await CanaryFacts.open(deaf, 5000n)
  const stopping = new AbortController()
  const asked = facts.intend(intent('0.001'), stopping.signal)
  stopping.abort(new Error('late'))
  await expect(asked).rejects.toThrow('late')
})
