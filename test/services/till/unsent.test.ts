/** The port of the facilitator is closed, so this try was never sent. What became of the payment before, the chain must say. */
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../until.ts'
import { header, payTo, type Signed, signed } from './paying.ts'
import { startStubFacilitator } from './stub-facilitator.ts'
import { openBench, receiptOf, settlementsOf } from './tills.ts'

const tx = `0x${'7'.repeat(64)}`

/** A till whose node outlives its facilitator. */
async function openApart() {
  const node = await startStubFacilitator()
  onTestFinished(() => node.close())
  node.chain = 'truthful'
  const bench = await openBench({ limits: { sweepMs: 20, unknownMs: 300 } })
  await bench.restart({
    config: {
      facilitators: [{ url: bench.facilitator.url }],
      payTo: [{ name: 'base', address: payTo }],
      rpcUrls: { base: [`${node.url}/chain`] },
    },
  })
  const lands = ({ payload }: Signed) => node.landed.push({ ...payload.authorization, tx } as never)
  return { bench, node, lands, facilitator: bench.facilitator }
}

it('the till goes on watching a refused payment after a further try that never left', async () => {
  const { bench, facilitator, lands } = await openApart()
  Object.assign(facilitator, { settle: 'refused', reason: 'insufficient_funds' })
  const payment = await signed()
  await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'insufficient_funds', charged: false })
  await facilitator.close()
  await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'facilitator_unavailable', charged: false })
  // The facilitator had sent the first one after all.
  lands(payment)
  await until(
    async () => (await settlementsOf(bench.log)).some(({ state }) => state === 'settled'),
    'the late transfer to be seen',
  )
  const reader = { question: '{"say":"his"}', caller: 'a stranger' }
  await expect(bench.buy(payment, reader)).rejects.toMatchObject({ code: 'payment_already_used' })
  expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
})

it('no error says "not charged" of a payment whose transfer is on chain', async () => {
  const { bench, facilitator, lands } = await openApart()
  const payment = await signed()
  lands(payment)
  await facilitator.close()
  expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
})

it('no error says "not charged" while the chain is silent', async () => {
  const { bench, facilitator, node, lands } = await openApart()
  const payment = await signed()
  lands(payment)
  node.chain = 'silent'
  await facilitator.close()
  await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
  node.chain = 'truthful'
  await until(
    async () => typeof (await bench.till.recalled(bench.till.decode(header(payment)), 'x')) === 'object',
    'the transfer to be known',
  )
})

it('a first try that was never sent, and that the chain does not show, is free', async () => {
  const { bench, facilitator } = await openApart()
  await facilitator.close()
  await expect(bench.buy(await signed())).rejects.toMatchObject({
    code: 'facilitator_unavailable',
    charged: false,
  })
})
