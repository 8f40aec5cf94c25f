/** A facilitator says that it has sent nothing. The till believes the chain instead, then and later. */
import { describe, expect, it } from 'vitest'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { until } from '../../until.ts'
import { originOf } from '../an-origin.ts'
import { header, type Signed, signed, toil } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import { type Bench, failure, isAnswer, openBench, receiptOf, settlementsOf, shared } from './tills.ts'

const tx = `0x${'7'.repeat(64)}`

async function openRefusing(...of: Parameters<typeof openBench>) {
  const bench = await openBench({ limits: { sweepMs: 20, unknownMs: 200 }, ...of[0] }, of[1])
  Object.assign(bench.facilitator, { settle: 'refused', reason: 'insufficient_funds', chain: 'truthful' })
  return bench
}

const lands = ({ facilitator }: Bench, { payload }: Signed, at = tx) =>
  facilitator.landed.push({ ...(payload.authorization as never as { nonce: string }), tx: at } as never)

const settledOn = (bench: Bench) =>
  until(
    async () => (await settlementsOf(bench.log)).some(({ state }) => state === 'settled'),
    'the late transfer to be seen',
  )

const lies = async () =>
  (await metrics.facilitatorLies.get()).values
    .filter(({ labels }) => labels.kind === 'refused')
    .reduce((sum, { value }) => sum + value, 0)

describe('a refusal to settle', () => {
  it('is no "not charged" while the chain is silent', async () => {
    const bench = await openRefusing()
    bench.facilitator.chain = 'silent'
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    lands(bench, payment)
    bench.facilitator.chain = 'truthful'
    expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
    expect(bench.runs).toBe(1)
  })

  it('is none if the money has moved by then', async () => {
    const bench = await openRefusing()
    const payment = await signed()
    lands(bench, payment)
    expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
  })

  it.each([
    ['on a log of its own', undefined],
    ['on a shared log', shared],
  ])('%s: if a transfer comes later, the answer is owed, and the refusal counts as a lie', async (_, as) => {
    const bench = await openRefusing({}, as)
    const payment = await signed()
    const told = await lies()
    await expect(bench.buy(payment)).rejects.toMatchObject({ status: 402, charged: false })
    lands(bench, payment)
    await settledOn(bench)
    expect(await lies()).toBe(told + 1)
    const sold = await bench.buy(payment)
    expect(receiptOf(sold)).toMatchObject({ charged: true, payment_tx: tx })
    sold.delivered(true)
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it.each([
    ['on a log of its own', undefined],
    ['on a shared log', shared],
  ])('%s: it is watched by the next run too', async (_, as) => {
    const bench = await openRefusing({}, as)
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toThrow(failure('insufficient_funds'))
    await bench.restart()
    lands(bench, payment)
    await settledOn(bench)
    expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it.each(['silent', 'behind'])('buys nothing for a reader of the chain while the node is %s', async node => {
    const bench = await openRefusing({ limits: { sweepMs: 600_000, unknownMs: 200 } })
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toMatchObject({ charged: false })
    if (node === 'silent') bench.facilitator.chain = 'silent'
    const stranger = bench.buy(payment, { question: '{"say":"his"}', caller: 'a stranger' })
    const told = node === 'silent' ? 'payment_unknown' : 'invalid_payment'
    await expect(stranger).rejects.toThrow(failure(told))
    bench.facilitator.chain = 'truthful'
    lands(bench, payment)
    expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it('is held against the chain again beside any later error', async () => {
    const bench = await openRefusing({ limits: { sweepMs: 600_000 } })
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toMatchObject({ charged: false })
    const recalled = () => bench.till.recalled(bench.till.decode(header(payment)), 'the payer')
    expect(await recalled()).toBe(false)
    bench.facilitator.chain = 'silent'
    expect(await recalled()).toBe(null)
    bench.facilitator.chain = 'truthful'
    lands(bench, payment)
    expect(await recalled()).toEqual({ tx })
  })

  it.each([
    ['on a log of its own', undefined],
    ['on a shared log', shared],
  ])('%s: keeps a secret, which cannot be made again, for a transfer that comes later', async (_, as) => {
    const secret = { ...toil, holdsSecret: true as const }
    const bench = await openRefusing({ origins: [originOf([secret])] }, as)
    const payment = await signed()
    const bought = { operation: secret, answer: async () => '{"said":"a secret"}' }
    await expect(bench.buy(payment, bought)).rejects.toMatchObject({ charged: false })
    await bench.restart()
    lands(bench, payment)
    await settledOn(bench)
    const proof = await proofOf(await challengeOf(bench.buy(payment, { ...bought, caller: 'another' })))
    const sold = await bench.buy(payment, { ...bought, proof })
    expect(isAnswer(sold.body, '{"said":"a secret"}')).toBe(true)
    expect(bench.runs).toBe(1)
  })

  it('leaves its payment and its key free to buy', async () => {
    const bench = await openRefusing({}, shared)
    const [payment, key] = [await signed(), 'some-idempotency-key']
    await expect(bench.buy(payment, { key })).rejects.toThrow(failure('insufficient_funds'))
    bench.facilitator.settle = 'well'
    expect(receiptOf(await bench.buy(await signed(), { key })).charged).toBe(true)
    expect(receiptOf(await bench.buy(payment, { question: '{"say":"else"}' })).charged).toBe(true)
    expect(bench.facilitator.moved.size).toBe(2)
  })
})
