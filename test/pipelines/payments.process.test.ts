import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createTestClient, http } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../pipelines/rails/log/log.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { registry } from '../../pipelines/rails/metrics.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { openReader } from '../../pipelines/sources/payments/readers.ts'
import { paymentsBy } from '../../pipelines/sources/payments.ts'
import { Poller, startSources } from '../../pipelines/sources/runner.ts'
import { startSink } from '../../pipelines/workers/sink.ts'
import { chainPayments } from '../../schemas/chain-payments.ts'
import { chainRanges } from '../../schemas/chain-ranges.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { startEvmChain } from '../../services/sandbox/evm-chain.ts'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { startNode } from './domains/payments/rpc-node.ts'
import { paymentTopics } from './payment-topics.ts'
import { Books, outside, poll, sellersNamed, startSales } from './sources/payments/play-sales.ts'

const always = '1970-01-01T00:00:00.001Z'
const datasets = [chainPayments, chainRanges] as unknown as Dataset[]

let chain: PlayChain
let sales: Awaited<ReturnType<typeof startSales>>
let seller: string
let anvil: {
  mine(asked: { blocks: number }): Promise<void>
  snapshot(): Promise<`0x${string}`>
  revert(asked: { id: `0x${string}` }): Promise<void>
}

beforeAll(async () => {
  chain = await startEvmChain('base')
  sales = await startSales(chain)
  seller = chain.payTo.toLowerCase()
  const client = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
  await client.setIntervalMining({ interval: 0 })
  await client.setAutomine(true)
  anvil = client
})
afterAll(async () => {
  await sales?.close()
  await chain?.close()
})

const payments = () =>
  paymentsBy(
    openReader('base', [chain.rpcUrl]),
    sellersNamed({ until: always, wallets: new Map([[seller, always]]) }),
  )
const never = new AbortController().signal

const pollerOf = (log: Log) =>
  new Poller(
    { ...payments(), due: () => true },
    { needs: {}, log, outside: () => outside(), now: Date.now },
    undefined,
  )

async function storeBehind(log: Log) {
  const store = await openStore(`embedded:${scratchFolder()}`)
  onTestFinished(() => store.close())
  await store.apply(datasets)
  for (const dataset of datasets) {
    const sink = await startSink({ log, store, dataset, now: Date.now, onProblem: () => {} })
    onTestFinished(() => sink.close())
  }
  const sunk = async () => {
    for (const { topic } of datasets)
      await until(async () => (await log.lag(topic, 'sink')) === 0, 'the sink')
  }
  return {
    async payments() {
      await sunk()
      return store.query<Record<string, unknown>>(
        'select tx, position, method, toString(amount) as amount, provisional from chain_payments order by block, position',
      )
    },
    async coverage() {
      await sunk()
      return store.query<{ from_block: string; to_block: string }>(
        'select from_block, to_block from chain_ranges order by from_block',
      )
    },
  }
}

test('a payment enters the table, and leaves it with a dropped block', async () => {
  const log = await openLog(`sqlite:${join(scratchFolder(), 'log.db')}`, { topics: paymentTopics })
  onTestFinished(() => log.close())
  const store = await storeBehind(log)
  const kept = await sales.pay('$0.0042')
  await anvil.mine({ blocks: 3 })
  const before = await anvil.snapshot()
  const lost = await sales.pay('$0.0043')
  const poller = pollerOf(log)
  expect(await poller.poll(never)).toBe(true)
  expect(await store.payments()).toMatchObject([
    { tx: kept, amount: '0.0042', method: 'eip3009', provisional: false },
    { tx: lost, amount: '0.0043', method: 'eip3009', provisional: true },
  ])
  await anvil.revert({ id: before })
  await anvil.mine({ blocks: 1 })
  expect(await poller.poll(never)).toBe(true)
  expect(await store.payments()).toMatchObject([{ tx: kept, provisional: false }])
})

test('killed in the middle again and again, it still reads every block and counts no payment twice', async () => {
  await anvil.mine({ blocks: 60 })
  for (const price of ['$0.001', '$0.002', '$0.003']) await sales.pay(price)
  await anvil.mine({ blocks: 30 })
  const node = await startNode(chain.rpcUrl)
  node.state.mostBlocks = 8
  const folder = scratchFolder()
  for (const pages of [1, 2, 4, 8]) await killedAfter(pages, folder, node.url)

  const log = await openLog(`sqlite:${join(folder, 'log.db')}`, { topics: paymentTopics })
  onTestFinished(() => log.close())
  await untilRead(log)
  const store = await storeBehind(log)
  const whole = new Books()
  await poll(payments(), whole)
  expect((await store.payments()).map(({ tx, position }) => `${tx} ${position}`)).toEqual(
    whole.list.map(({ tx, position }) => `${tx} ${position}`),
  )
  let next = 0
  for (const { from_block, to_block } of await store.coverage()) {
    expect(Number(from_block)).toBeLessThanOrEqual(next)
    next = Math.max(next, Number(to_block) + 1)
  }
  expect(next).toBe(Math.max(...whole.ranges.map(range => range.to_block)) + 1)
})

/** Starts as the service does, from the cursor of the last tick. */
async function untilRead(log: Log): Promise<void> {
  const options = { needs: {}, log, outside: () => outside(), now: Date.now, jitterMs: 0 }
  const sources = await startSources([payments()], options)
  const whole = () =>
    registry
      .getSingleMetric('farebox_polls_total')
      ?.get()
      .then(({ values }) =>
        values.some(({ labels }) => labels.source === 'payments_base' && labels.outcome === 'changed'),
      )
  registry.resetMetrics()
  await until(whole, 'a good poll')
  await sources.close()
}

async function killedAfter(pages: number, folder: string, rpcUrl: string): Promise<void> {
  const script = new URL('./payments-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, folder, rpcUrl, seller], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let kept = 0
  for await (const line of createInterface({ input: child.stdout }))
    if (line === 'done' || ++kept === pages) child.kill('SIGKILL')
  await ended
  expect(kept).toBe(pages)
}
