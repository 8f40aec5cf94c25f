import { expect, it } from 'vitest'
import type { Own } from '../../../pipelines/rails/duties/part.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Process } from '../../../pipelines/rails/process.ts'
import { checking } from '../../../pipelines/workers/data-checks.ts'
import { dataChecks } from '../../../schemas/data-checks.ts'
import { secFacts } from '../../../schemas/sec-facts.ts'
import { until } from '../../until.ts'

/** What the gauges say of one table. */
const told = async () =>
  (await metrics.dataCheckStopped.get()).values.filter(({ labels }) => labels.dataset === secFacts.name)

it('is the duty of one sink, and a process that has lost it tells no more of the data', async () => {
  const topics: string[] = []
  const log = {
    append: async ({ name }: { name: string }) => void topics.push(name),
  } as unknown as Own['log']
  const store = {
    loads: async () => new Map([[secFacts.name, '1']]),
    examine: async () => Promise.reject(new Error('the store is away')),
  }
  const failures: unknown[] = []
  const duties: string[] = []
  const running = await checking.open({
    alone: (duty, open) => {
      duties.push(duty)
      return open({ log, outside: () => Promise.reject() as never })
    },
    store: async () => store,
    now: Date.now,
    onFailed: (_, error) => failures.push(error),
  } as Pick<Process, 'alone' | 'now' | 'onFailed'> as Process)
  await until(async () => (await told()).length > 0, 'a check that could not run')
  expect(duties).toEqual(['checks'])
  expect((await told()).map(({ value }) => value)).toContain(1)
  expect(failures.join()).toContain('the store is away')
  await running.close()
  expect(topics).toEqual([dataChecks.topic.name])
  expect(await told()).toEqual([])
})
