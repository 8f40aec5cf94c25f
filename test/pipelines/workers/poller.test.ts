import { expect, it, onTestFinished } from 'vitest'
import { networkVariables } from '../../../pipelines/domains/payments/variables.ts'
import type { Variables } from '../../../pipelines/rails/environment/variables.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { sources } from '../../../pipelines/sources/index.ts'
import { polling } from '../../../pipelines/workers/poller.ts'
import { refundVariables } from '../../../pipelines/workers/refunds/variables.ts'
import { datasets } from '../../../schemas/index.ts'
import { processOf } from '../../a-process.ts'
import { scratchFolder } from '../../scratch.ts'

/** The requested duties, for sales on these networks. */
async function dutiesWith(networks: readonly string[], bulk = false): Promise<string[]> {
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: datasets.map(({ topic }) => topic),
  })
  onTestFinished(() => log.close())
  const duties: string[] = []
  const alone = async (duty: string) => {
    duties.push(duty)
    return { ended: new Promise(() => {}), close: async () => {} }
  }
  const open = networks.map(name => ({ name, rpcUrls: ['http://127.0.0.1:9'] }))
  const set = new Map<unknown, unknown>([
    [networkVariables.shape, open],
    [refundVariables.shape, { keys: [], former: [] }],
  ])
  const read = <T>({ shape }: Variables<T>) => set.get(shape) as T
  const running = await polling.open(processOf({ log, alone, bulk, read }))
  await running.close()
  return duties.toSorted()
}

it('polls each source in exactly one process, and sources with a common rate together', async () => {
  const duties = await dutiesWith([])
  expect(new Set(duties).size).toBe(duties.length)
  expect(duties).toEqual(expect.arrayContaining(['ecb', 'faa', 'catalog']))
  expect(duties.length).toBeLessThan(sources.length)
  expect(await dutiesWith([], true)).toEqual(duties)
})

it('polls the payments of each network with sales, and the new pools on chains that are read', async () => {
  const [none, both] = [await dutiesWith([]), await dutiesWith(['base', 'solana'])]
  expect(both.filter(duty => !none.includes(duty))).toEqual([
    'payments_base',
    'payments_solana',
    'pools_base',
  ])
})
