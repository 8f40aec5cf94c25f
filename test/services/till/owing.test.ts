import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { tillOpen } from '../../../schemas/till-open.ts'
import { defineOperation } from '../../../services/offer/operation.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { originOf } from '../an-origin.ts'
import { echo, type Signed, shout, signed } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import {
  type Ask,
  type Bench,
  failure,
  openBench,
  options,
  receiptOf,
  settlementsOf,
  shared,
} from './tills.ts'

const key = 'the-same-key'
const stranger = { caller: 'a stranger' }
const used = failure('payment_already_used')
const otherWallet = privateKeyToAccount(`0x${'12'.repeat(32)}`)

/** A sale whose answer was lost on its way. */
async function lost(bench: Bench, ask: Ask = {}): Promise<Signed> {
  const payment = await signed()
  ;(await bench.buy(payment, ask)).delivered(false)
  return payment
}

const refusalOf = (bench: Bench, payment: Signed, ask: Ask) =>
  bench.buy(payment, ask).then(
    () => 'given',
    ({ code, message, charged }) => ({ code, message, charged }),
  )

/** Lists the purchases that till.open has held until now. */
async function carried(log: Bench['log']): Promise<string[]> {
  const found: string[] = []
  const watching = await log.watch(tillOpen.topic, batch => {
    for (const { value } of batch) if (value?.includes('"spend_id"')) found.push(value)
  })
  await watching.caughtUp
  await watching.close()
  return found
}
const isDelivered = (value: string) => value.includes('"delivered":true')

describe('A payment that was read from the chain', () => {
  it('gets nothing, and is told the same for the right question, a wrong one and another path', async () => {
    const bench = await openBench()
    const payment = await lost(bench)
    const told = await Promise.all(
      [{}, { question: '{"say":"x"}' }, { operation: shout }, { key }, { question: '{"say":1}' }].map(ask =>
        refusalOf(bench, payment, { ...stranger, ...ask }),
      ),
    )
    expect(told[0]).toMatchObject({ code: 'payment_already_used', charged: { tx: expect.any(String) } })
    expect(new Set(told.map(each => JSON.stringify(each))).size).toBe(1)
    expect((await bench.buy(payment)).replayed).toBe(true)
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it('gets nothing while nobody knows the outcome, and does not keep its payer waiting', async () => {
    const bench = await openBench({ limits: { unknownMs: 2000 } })
    const payment = await signed()
    bench.facilitator.settle = 'error after'
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_unknown'))
    for (const question of ['{}', '{"say":"x"}'])
      await expect(bench.buy(payment, { ...stranger, question })).rejects.toMatchObject({
        code: 'payment_unknown',
        charged: null,
      })
    bench.facilitator.settle = 'well'
    expect((await bench.buy(payment)).replayed).toBe(false)
  })
})

describe('The first caller', () => {
  it('gets it again for two minutes, because it may be lost on its way, and then needs more', async () => {
    let aheadMs = 0
    const bench = await openBench({ now: () => Date.now() + aheadMs })
    const payment = await signed()
    const first = await bench.buy(payment)
    first.delivered(true)
    aheadMs = 110_000
    const again = await bench.buy(payment)
    expect([again.replayed, receiptOf(again).payment_tx]).toEqual([true, receiptOf(first).payment_tx])
    aheadMs = 121_000
    await expect(bench.buy(payment)).rejects.toThrow(used)
  })

  it('does not end the claim of the payer, for callers share addresses', async () => {
    const bench = await openBench()
    const payment = await lost(bench)
    ;(await bench.buy(payment)).delivered(true)
    const again = await bench.buy(payment)
    expect(again.replayed).toBe(true)
    again.delivered(true)
    const proof = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    expect((await bench.buy(payment, { ...stranger, proof })).replayed).toBe(true)
  })
})

describe('A proof by the wallet that paid', () => {
  it('gets an answer that was paid and not delivered, long after, anywhere, also after a restart', async () => {
    let aheadMs = 0
    const bench = await openBench({ now: () => Date.now() + aheadMs })
    const payment = await lost(bench, { key })
    aheadMs = 50 * 60_000
    await bench.restart()
    const proof = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    const sold = await bench.buy(payment, { ...stranger, proof })
    expect(JSON.parse(sold.body)).toMatchObject({ said: 'hello', receipt: { charged: true } })
    sold.delivered(true)
    expect([bench.runs, bench.facilitator.calls.settle]).toEqual([1, 1])
  })

  it('gets it for ten minutes more after its late delivery, also after a restart, and then learns the truth', async () => {
    let aheadMs = 0
    const bench = await openBench({ now: () => Date.now() + aheadMs, limits: { sweepMs: 20 } })
    const payment = await lost(bench)
    const prove = async () => {
      const proof = await proofOf(await challengeOf(bench.buy(payment, stranger)))
      return bench.buy(payment, { ...stranger, proof })
    }
    aheadMs = 50 * 60_000
    const { length } = await carried(bench.log)
    await until(async () => (await carried(bench.log)).length > length, 'the purchase to be carried')
    ;(await prove()).delivered(true)
    await until(async () => (await carried(bench.log)).some(isDelivered), 'its delivery to be carried')
    aheadMs = 58 * 60_000
    await bench.restart()
    expect((await prove()).replayed).toBe(true)
    aheadMs = 61 * 60_000
    await until(() => !bench.till.knows({ json: { ...payment } }), 'the till to forget it')
    expect(bench.till.word({ json: { ...payment } })).toMatchObject({
      bought: expect.stringMatching(/delivered at .* kept no longer/),
    })
  })

  it('works once', async () => {
    const bench = await openBench()
    const payment = await lost(bench)
    const proof = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    ;(await bench.buy(payment, { ...stranger, proof })).delivered(false)
    await expect(bench.buy(payment, { ...stranger, proof })).rejects.toThrow(used)
    const another = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    ;(await bench.buy(payment, { ...stranger, proof: another })).delivered(true)
    await expect(bench.buy(payment, { ...stranger, proof: another })).rejects.toThrow(used)
  })

  it('works for twenty texts of one purchase, and no more', async () => {
    const bench = await openBench()
    const payment = await lost(bench)
    const challenge = await challengeOf(bench.buy(payment, stranger))
    const ask = async (nth: number) => {
      const issuedAt = new Date(Date.now() + nth).toISOString()
      const proof = await proofOf({ ...challenge, info: { ...challenge.info, issuedAt } })
      return bench.buy(payment, { ...stranger, proof })
    }
    for (let nth = 0; nth < 20; nth++) (await ask(nth)).delivered(false)
    await expect(ask(20)).rejects.toThrow(used)
    expect(bench.runs).toBe(1)
  })

  it('works once, also after a restart', async () => {
    const bench = await openBench()
    const payment = await lost(bench)
    const proof = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    ;(await bench.buy(payment, { ...stranger, proof })).delivered(false)
    await bench.restart()
    await expect(bench.buy(payment, { ...stranger, proof })).rejects.toThrow(used)
    const another = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    await bench.buy(payment, { ...stranger, proof: another })
  })

  it('works once among instances', async () => {
    const bench = await openBench({}, shared)
    const here = bench.till
    const other = await openTill(options(shared(bench.log), bench.facilitator.url))
    const payment = await lost(bench)
    const proof = await proofOf(await challengeOf(bench.buy(payment, stranger)))
    bench.till = other
    await until(() => other.knows({ json: { ...payment } }), 'the other to hear of the sale')
    ;(await bench.buy(payment, { ...stranger, proof })).delivered(false)
    bench.till = here
    await expect(bench.buy(payment, { ...stranger, proof })).rejects.toThrow(used)
    await other.close()
  })

  it('is that of the payer, for this payment, at this address, and young', async () => {
    let aheadMs = 0
    const bench = await openBench({ now: () => Date.now() + aheadMs })
    const [payment, another] = [await lost(bench), await lost(bench)]
    const challenge = await challengeOf(bench.buy(payment, stranger))
    const { info } = challenge
    const of = (more: object) => proofOf({ ...challenge, info: { ...info, ...more } })
    const wrong = [
      proofOf(challenge, otherWallet),
      proofOf(await challengeOf(bench.buy(another, stranger))),
      of({ domain: 'evil.example', uri: 'https://evil.example/echo' }),
      of({ uri: `${new URL(info.uri).origin}/shout` }),
      of({ nonce: '0'.repeat(32) }),
      of({ resources: ['urn:x402:payment:other'] }),
      of({ statement: 'Give me everything.' }),
      of({ issuedAt: new Date(Date.now() - 301_000).toISOString() }),
      of({ issuedAt: new Date(Date.now() + 3_600_000).toISOString() }),
      of({ expirationTime: new Date(Date.now() - 1).toISOString() }),
      Promise.resolve('not base64!'),
      Promise.resolve(Buffer.from('{"a":null}').toString('base64')),
    ]
    for (const proof of wrong)
      await expect(bench.buy(payment, { ...stranger, proof: await proof })).rejects.toThrow(used)
    const [good, long] = [
      await proofOf(challenge),
      await of({ expirationTime: new Date(Date.now() + 3_600_000).toISOString() }),
    ]
    await expect(bench.buy(payment, { ...stranger, proof: good, question: '{"say":"x"}' })).rejects.toThrow(
      used,
    )
    aheadMs = 301_000
    for (const proof of [good, long])
      await expect(bench.buy(payment, { ...stranger, proof })).rejects.toThrow(used)
    aheadMs = 0
    expect((await bench.buy(payment, { ...stranger, proof: good })).replayed).toBe(true)
  })
})

describe('An answer that holds a secret', () => {
  const hush = defineOperation({ ...echo, id: 'hushOnce', path: '/hush', holdsSecret: true })
  const open = () => openBench({ origins: [originOf([echo, shout, hush])] })
  const operation = hush

  it('is repeated for no key alone, with a payment or without, and no second payment is taken', async () => {
    const bench = await open()
    const payment = await signed()
    ;(await bench.buy(payment, { operation, key })).delivered(true)
    expect(await bench.till.replay(key, hush, '{}')).toBeUndefined()
    await expect(bench.buy(payment, { operation, key, ...stranger })).rejects.toThrow(used)
    await expect(bench.buy(await signed(), { operation, key })).rejects.toThrow(
      failure('idempotency_conflict'),
    )
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it('is repeated to its first caller with the key, and to the wallet that paid', async () => {
    const bench = await open()
    const payment = await lost(bench, { operation, key })
    await expect(bench.buy(payment, { operation })).rejects.toThrow(used)
    ;(await bench.buy(payment, { operation, key })).delivered(false)
    const proof = await proofOf(await challengeOf(bench.buy(payment, { operation, ...stranger })))
    expect((await bench.buy(payment, { operation, ...stranger, proof })).replayed).toBe(true)
  })
})

it('analysts see one settlement, however often the answer is given', async () => {
  const bench = await openBench()
  const payment = await lost(bench)
  for (let time = 0; time < 3; time++) (await bench.buy(payment)).delivered(true)
  await bench.restart()
  const settled = (await settlementsOf(bench.log)).filter(({ state }) => state === 'settled')
  expect(settled).toHaveLength(1)
})
