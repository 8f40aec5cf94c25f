/** The chain takes a settlement and drops it again before anybody learns of it. */
import { createTestClient, http } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { startFacilitator } from '../../services/sandbox/facilitator.ts'
import { serveLoopback } from '../../services/sandbox/loopback.ts'
import { payingClient } from '../../services/sandbox/wallet.ts'
import { originOf } from '../services/an-origin.ts'
import { saidByFile } from '../services/sell/said.ts'
import type { Signed } from '../services/till/paying.ts'
import { openBench, receiptOf, settlementsTold } from '../services/till/tills.ts'

it('is settled once more while the caller waits, and he pays once', async () => {
  const chain = await startEvmChain('base')
  const facilitator = await startFacilitator([chain])
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
  let settlements = 0
  const wire = await serveLoopback(async ({ method, path, body }) => {
    const first = path === '/settle' && settlements++ === 0
    const before = first && (await node.snapshot())
    const heard = await fetch(facilitator.url + path, { method, ...(method === 'POST' ? { body } : {}) })
    const said = await heard.text()
    if (!before) return { status: heard.status, body: said }
    expect(JSON.parse(said).success).toBe(true)
    await node.revert({ id: before })
    return { status: 504, body: '' }
  })
  onTestFinished(async () => {
    await wire.close()
    await facilitator.close()
    await chain.close()
  })
  const { said, ask, end } = await saidByFile()
  onTestFinished(end)
  const bench = await openBench({
    origins: [originOf([said])],
    config: {
      facilitators: [{ url: wire.url }],
      payTo: [{ name: 'base', address: chain.payTo }],
      rpcUrls: { base: [chain.rpcUrl] },
    },
  })
  const quote = JSON.parse(bench.till.quote(said).body('payment_required', 'Pay'))
  const payment = await (await payingClient(chain)).createPaymentPayload(quote)
  const sold = await bench.buy(payment as unknown as Signed, { operation: said, answer: ask })
  sold.delivered(true)
  expect(settlements).toBe(2)
  expect(await chain.balance(chain.payTo)).toBe(2000n)
  expect(bench.runs).toBe(1)
  const events = await settlementsTold(bench.log, 3)
  expect(events.map(({ state }) => state)).toEqual(['intended', 'unknown', 'settled'])
  expect(events.at(-1)).toMatchObject({ payment_tx: receiptOf(sold).payment_tx, resolved: true })
})
