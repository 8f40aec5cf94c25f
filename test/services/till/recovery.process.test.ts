/** Real chains, two of one family, and x402's own facilitator on a connection that loses its answers. */

import { createTestClient, http } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { startChains } from '../../../services/sandbox/chains.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import { type Loopback, serveLoopback } from '../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { payingClient } from '../../../services/sandbox/wallet.ts'
import type { TillOptions } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { echo, header, type Signed } from './paying.ts'
import { type Bench, failure, openBench, receiptOf, settlementsOf, settlementsTold } from './tills.ts'

const names = ['base', 'polygon', 'solana'] as const
let chains: Record<(typeof names)[number], PlayChain>
let facilitator: Loopback
let wire: Loopback
let lose: 'nothing' | 'the answer of settle' | 'settle' = 'nothing'
/** Delays the answer of a successful settlement. */
let slow: Promise<void> | undefined

beforeAll(async () => {
  const [base, polygon, solana] = await startChains(names)
  chains = { base, polygon, solana } as typeof chains
  facilitator = await startFacilitator(Object.values(chains))
  wire = await serveLoopback(async ({ method, path, body }) => {
    const failed = { status: 502, type: 'text/html', body: '<html>bad gateway</html>' }
    if (path === '/settle' && lose === 'settle') return failed
    const heard = await fetch(facilitator.url + path, { method, ...(method === 'POST' ? { body } : {}) })
    if (path === '/settle' && lose !== 'nothing') {
      lose = 'settle'
      return failed
    }
    const said = await heard.text()
    if (path === '/settle') await slow
    return { status: heard.status, body: said }
  })
})
beforeEach(() => {
  lose = 'nothing'
})
afterAll(async () => {
  await wire.close()
  await facilitator.close()
  await Promise.all(Object.values(chains).map(chain => chain.close()))
})

const silent = 'http://127.0.0.1:9'
const config = (): TillOptions['config'] => ({
  facilitators: [{ url: wire.url }],
  payTo: names.map(name => ({ name, address: chains[name].payTo })),
  rpcUrls: Object.fromEntries(Object.entries(chains).map(([name, { rpcUrl }]) => [name, [rpcUrl]])),
})

async function payOn(name: (typeof names)[number], { till }: Bench): Promise<Signed> {
  const quote = JSON.parse(till.quote(echo).body('payment_required', 'Pay'))
  const accepts = quote.accepts.filter((offer: { network: string }) => offer.network === networks[name].caip2)
  const client = await payingClient(chains[name])
  return (await client.createPaymentPayload({ ...quote, accepts })) as never
}
const earned = (name: (typeof names)[number]) => chains[name].balance(chains[name].payTo)

describe.each(names)('on %s', name => {
  it("x402's own client pays, and the chain agrees", async () => {
    const bench = await openBench({ config: config() })
    const before = await earned(name)
    const elsewhere = Object.fromEntries(
      await Promise.all(names.map(async each => [each, await earned(each)] as const)),
    )
    const sold = await bench.buy(await payOn(name, bench))
    sold.delivered(true)
    expect(receiptOf(sold)).toMatchObject({ network: name, charged: true, payment_tx: expect.any(String) })
    expect(await earned(name)).toBe(before + 2000n)
    for (const other of names.filter(each => each !== name))
      expect(await earned(other)).toBe(elsewhere[other])
  })

  it('a settlement whose answer is lost is found on chain while the caller waits', async () => {
    const bench = await openBench({ config: config() })
    const before = await earned(name)
    const payment = await payOn(name, bench)
    lose = 'the answer of settle'
    const sold = await bench.buy(payment)
    sold.delivered(true)
    expect(receiptOf(sold).charged).toBe(true)
    expect(await earned(name)).toBe(before + 2000n)
    const events = await settlementsTold(bench.log, 3)
    expect(events.at(-1)).toMatchObject({
      state: 'settled',
      resolved: true,
      payment_tx: receiptOf(sold).payment_tx,
    })
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
      failure('payment_already_used'),
    )
    expect(bench.runs).toBe(1)
  })

  it('a settlement whose answer is slow is found on chain beside it', async () => {
    const bench = await openBench({ config: config() })
    const before = await earned(name)
    const gate = Promise.withResolvers<void>()
    slow = gate.promise
    const sold = await bench.buy(await payOn(name, bench))
    slow = undefined
    gate.resolve()
    sold.delivered(true)
    expect(receiptOf(sold).charged).toBe(true)
    expect(await earned(name)).toBe(before + 2000n)
    expect(bench.runs).toBe(1)
  })

  it('found again at the next start, by a look, and given to anybody who presents it', async () => {
    const blind = { ...config(), rpcUrls: Object.fromEntries(names.map(name => [name, [silent]])) }
    const bench = await openBench({ limits: { unknownMs: 300, sweepMs: 200 }, config: blind })
    const before = await earned(name)
    const payment = await payOn(name, bench)
    lose = 'the answer of settle'
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_unknown'))
    await bench.restart({ config: config() })
    await until(async () => (await settlementsOf(bench.log)).some(({ state }) => state === 'settled'))
    const sold = await bench.buy(payment)
    expect(receiptOf(sold).charged).toBe(true)
    expect(bench.runs).toBe(1)
    expect(await earned(name)).toBe(before + 2000n)
  })
})

describe('a payment whose record cannot be read', () => {
  async function hidden(payment: Signed, bench: Bench) {
    const { spendId } = await bench.till.check(bench.till.decode(header(payment)), echo)
    await bench.log.append(tillPromises.topic, [{ key: spendId, value: '{"by":"a run that' }])
    await bench.restart({ config: config() })
  }

  it('waits until the chain has outlived it, and is free then', async () => {
    const bench = await openBench({ config: config() })
    const payment = await payOn('base', bench)
    await hidden(payment, bench)
    const unknown = { code: 'payment_unknown', charged: null }
    await expect(bench.buy(payment)).rejects.toMatchObject(unknown)
    const test = createTestClient({ mode: 'anvil', transport: http(chains.base.rpcUrl) })
    await test.increaseTime({ seconds: 600 })
    await test.mine({ blocks: 200 })
    await bench.restart({ config: config(), now: () => Date.now() + 600_000 })
    await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'payment_expired', charged: false })
    expect([bench.runs, (await metrics.paymentsUnread.get()).values[0]?.value]).toEqual([0, 0])
  })

  it('is never called free once the chain has its money', async () => {
    const bench = await openBench({ config: config() })
    const payment = await payOn('polygon', bench)
    await bench.buy(payment)
    // Another log. The promise of that sale is in it and cannot be read.
    const other = await openBench({ config: config() })
    await hidden(payment, other)
    const unknown = { code: 'payment_unknown', charged: null, message: expect.stringContaining('0x') }
    await expect(other.buy(payment)).rejects.toMatchObject(unknown)
    expect(other.runs).toBe(0)
  })
})
