/** A chain takes a payment back after its answer was delivered. The sale is settled again while the payment lives, and becomes final. */
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { EvmReader } from '../../../pipelines/domains/payments/evm/reader.ts'
import { EvmStanding } from '../../../pipelines/domains/payments/evm/standing.ts'
import { newestNow } from '../../../pipelines/rails/log/events.ts'
import { followFinality } from '../../../pipelines/workers/finality/finality.ts'
import { finality, takenBack } from '../../../schemas/finality.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { startEvmChain } from '../../../services/sandbox/evm-chain.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import type { Loopback } from '../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { until } from '../../until.ts'
import { signed } from './paying.ts'
import { type Bench, openBench, receiptOf } from './tills.ts'

let chain: PlayChain
let facilitator: Loopback
beforeAll(async () => {
  chain = await startEvmChain('base')
  facilitator = await startFacilitator([chain])
})
afterAll(async () => {
  await facilitator?.close()
  await chain?.close()
})

const ask = (method: string, ...params: unknown[]) =>
  createPublicClient({ transport: http(chain.rpcUrl) }).request({ method, params } as never)

/** `every`: seconds between two blocks. 0: only with transactions. */
const blocksEvery = (every: number) => ask('evm_setIntervalMining', every)
const heightOf = async (): Promise<number> => Number(await ask('eth_blockNumber'))

async function sellingBench(): Promise<Bench> {
  return openBench({
    config: {
      facilitators: [{ url: facilitator.url }],
      payTo: [{ name: 'base', address: chain.payTo }],
      rpcUrls: { base: [chain.rpcUrl] },
    },
    limits: { auditMs: 60_000 },
  })
}

async function follow({ log }: Bench) {
  const standing = new EvmStanding(
    new EvmReader({ network: 'base', rpcUrls: [chain.rpcUrl], perSecond: 1000 }),
  )
  let looks = 0
  const following = await followFinality({
    log,
    lateMs: 5000,
    chains: [
      {
        network: 'base',
        standing: {
          lifeMs: standing.lifeMs,
          mostAtOnce: standing.mostAtOnce,
          standing: (...asked) => standing.standing(...asked),
          placesOf: (...asked) => standing.placesOf(...asked),
          gone: (...asked) => standing.gone(...asked),
          placeOf: (...asked) => standing.placeOf(...asked),
          look: async signal => {
            const seen = await standing.look(signal)
            looks++
            return seen
          },
        },
      },
    ],
    now: Date.now,
    everyMs: 100,
    onFailed: (name, error) => expect.fail(`${name}: ${error}`),
  })
  return { close: () => following.close(), looks: () => looks }
}

const tellingOf = async ({ log }: Bench) => [...(await newestNow(log, takenBack)).values()]
const throughOf = async ({ log }: Bench) => (await newestNow(log, finality)).get('base')?.through ?? ''

/** Sells once, and takes the block of the sale out of the chain. */
async function soldAndTakenBack(bench: Bench, looks: () => number, between = async () => {}) {
  const payment = await signed({ to: chain.payTo })
  const sold = await bench.buy({ ...payment, accepted: { ...payment.accepted, payTo: chain.payTo } })
  sold.delivered(true)
  await blocksEvery(0)
  const before = looks()
  await until(() => looks() > before + 1, 'a look at the head with the sale')
  await between()
  const receipt = receiptOf(sold)
  const { blockNumber } = (await ask('eth_getTransactionReceipt', receipt.payment_tx)) as {
    blockNumber: string
  }
  await ask('anvil_reorg', (await heightOf()) - Number(blockNumber) + 1, [])
  await blocksEvery(1)
  return receipt
}

it('is seen, told, settled again and final; and the payer has paid once', async () => {
  const bench = await sellingBench()
  const { looks, close } = await follow(bench)
  onTestFinished(close)
  const before = await chain.balance(chain.payTo)
  const receipt = await soldAndTakenBack(bench, looks)
  await until(async () => (await tellingOf(bench))[0]?.state === 'settled_again', 'the second settlement')
  const [told] = await tellingOf(bench)
  expect(told).toMatchObject({ request_id: receipt.request_id, payment_tx: receipt.payment_tx })
  expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
  await until(async () => (await throughOf(bench)) >= (told?.at ?? '~'), 'the final head', 15_000)
  expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
})

it('is seen by the next follower, where the one before ended between the sale and the reorganisation', async () => {
  const bench = await sellingBench()
  const first = await follow(bench)
  const before = await chain.balance(chain.payTo)
  await blocksEvery(1)
  const receipt = await soldAndTakenBack(bench, first.looks, first.close)
  expect(await tellingOf(bench)).toEqual([])
  const second = await follow(bench)
  onTestFinished(second.close)
  await until(async () => (await tellingOf(bench))[0]?.state === 'settled_again', 'the second settlement')
  expect(await tellingOf(bench)).toMatchObject([{ payment_tx: receipt.payment_tx }])
  expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
})

it('is settled again by the next process, which reads of it at its start', async () => {
  const bench = await sellingBench()
  const first = await follow(bench)
  const before = await chain.balance(chain.payTo)
  await blocksEvery(1)
  await soldAndTakenBack(bench, first.looks, () => bench.till.close())
  await until(async () => (await tellingOf(bench))[0]?.state === 'taken_back', 'the word')
  await first.close()
  expect(await chain.balance(chain.payTo)).toBe(before)
  await bench.restart()
  const second = await follow(bench)
  onTestFinished(second.close)
  await until(async () => (await tellingOf(bench))[0]?.state === 'settled_again', 'the second settlement')
  expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
})

it('is found among others by its own nonce, in few questions, wherever it stands', async () => {
  const bench = await sellingBench()
  await blocksEvery(1)
  const sold = []
  for (let i = 0; i < 3; i++) {
    const payment = await signed({ to: chain.payTo })
    sold.push(await bench.buy({ ...payment, accepted: { ...payment.accepted, payTo: chain.payTo } }))
  }
  const told = async () =>
    [...(await newestNow(bench.log, settlements)).values()].filter(({ state }) => state === 'settled')
  await until(async () => (await told()).length === sold.length, 'the log has the sales')
  const rows = await told()
  const paid = rows.map(({ spend_id, payer, pay_to, at }) => ({
    ...{ spendId: spend_id, payer, payTo: pay_to, amount: 2000n, atMs: Date.parse(at) },
    tx: `0x${'de'.repeat(32)}`,
  }))
  const standing = new EvmStanding(
    new EvmReader({ network: 'base', rpcUrls: [chain.rpcUrl], perSecond: 1000 }),
  )
  // Alike in all but the nonce.
  const stranger = { ...paid[0], spendId: 'f'.repeat(64) } as (typeof paid)[number]
  const found = await standing.placesOf([...paid, stranger], AbortSignal.timeout(10_000))
  expect(paid.map(sale => found.get(sale)?.tx)).toEqual(rows.map(({ payment_tx }) => payment_tx))
  expect([paid.length, found.size]).toEqual([3, 3])
  expect([...(await standing.gone([...paid, stranger], AbortSignal.timeout(10_000)))]).toEqual([stranger])
  // Its transaction is known, so it stands, though its use is older than what was read.
  const late = { ...stranger, tx: rows[0]?.payment_tx ?? '' }
  expect([...(await standing.gone([late], AbortSignal.timeout(10_000)))]).toEqual([])
  for (const each of sold) each.delivered(true)
})
