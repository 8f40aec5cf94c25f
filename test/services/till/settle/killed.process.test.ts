/** The till with our own facilitator, which is killed after its transaction left and before it said so. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEvmChain } from '../../../../services/sandbox/evm-chain.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { until } from '../../../until.ts'
import { signed } from '../paying.ts'
import { openBench, receiptOf, settlementsOf } from '../tills.ts'
import { blocksOf, settlingProcess } from './bench.ts'

let chain: PlayChain
beforeAll(async () => {
  chain = await startEvmChain('base')
})
afterAll(() => chain?.close())

it('the sale ends by the chain: paid once, answered once', async () => {
  const own = await settlingProcess(chain)
  const bench = await openBench({
    config: {
      facilitators: [{ url: own.url }],
      payTo: [{ name: 'base', address: chain.payTo }],
      rpcUrls: { base: [chain.rpcUrl] },
    },
  })
  const payment = await signed({ to: chain.payTo })
  const accepted = { ...payment.accepted, payTo: chain.payTo }
  const before = await chain.balance(chain.payTo)
  const blocks = blocksOf(chain)
  await blocks.stop()
  const selling = bench.buy({ ...payment, accepted })
  await blocks.sent()
  await own.kill()
  await blocks.resume()
  const sold = await selling
  sold.delivered(true)
  expect(receiptOf(sold)).toMatchObject({ network: 'base', charged: true })
  expect(bench.runs).toBe(1)
  expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
  const told = async () => (await settlementsOf(bench.log)).map(({ state }) => state)
  // The outcome is written after the answer has left.
  await until(async () => (await told()).includes('settled'), 'the outcome')
  const states = await told()
  expect(states.filter(state => state === 'settled')).toHaveLength(1)
  expect(states).not.toContain('failed')
})
