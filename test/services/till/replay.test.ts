import { describe, expect, it } from 'vitest'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { echo, header, shout, signed } from './paying.ts'
import type { Moved } from './stub-chain.ts'
import { failure, openBench, options, receiptOf, shared } from './tills.ts'

const key = 'the-same-key'
const withIdentifier = async (id: string) => ({
  ...(await signed()),
  extensions: { 'payment-identifier': { info: { required: false, id } } },
})
const isReplayOf = (body: string) => {
  const { receipt, ...answer } = JSON.parse(body)
  return JSON.stringify({ ...answer, receipt: { ...receipt, replayed: true, charged_now: false } })
}

describe('an Idempotency-Key', () => {
  it('keeps the sale’s receipt and says that the replay charged nothing', async () => {
    const bench = await openBench()
    const first = await bench.buy(await signed(), { key })
    first.delivered(true)
    expect(JSON.parse(first.body).receipt).not.toHaveProperty('charged_now')
    const again = JSON.parse((await bench.till.replay(key, echo, '{}'))?.body ?? '')
    expect(again.receipt).toMatchObject({ charged: true, replayed: true, charged_now: false })
  })

  it('replays the paid answer without a payment, with another, and after a restart', async () => {
    const bench = await openBench()
    const first = await bench.buy(await signed(), { key })
    first.delivered(true)
    const replayed = await bench.till.replay(key, echo, '{}')
    expect(replayed).toMatchObject({
      replayed: true,
      headers: { 'Idempotent-Replayed': 'true', 'PAYMENT-RESPONSE': first.headers['PAYMENT-RESPONSE'] },
    })
    expect(JSON.stringify(JSON.parse(replayed?.body ?? ''))).toBe(isReplayOf(first.body))
    expect((await bench.buy(await signed(), { key })).replayed).toBe(true)
    await bench.restart()
    expect((await bench.till.replay(key, echo, '{}'))?.body).toBe(replayed?.body)
    expect(bench.facilitator.calls.settle).toBe(1)
    expect(bench.runs).toBe(1)
  })

  it('replays to the same payment too', async () => {
    const bench = await openBench()
    const payment = await signed()
    ;(await bench.buy(payment, { key })).delivered(true)
    expect((await bench.buy(payment, { key })).replayed).toBe(true)
    expect((await bench.buy(payment, { key, caller: 'another place' })).replayed).toBe(true)
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
      failure('payment_already_used'),
    )
  })

  it('belongs to its path and question', async () => {
    const bench = await openBench()
    ;(await bench.buy(await signed(), { key })).delivered(true)
    expect(await bench.till.replay(key, shout, '{}')).toBeUndefined()
    expect(await bench.till.replay(key, echo, '{"say":"x"}')).toBeUndefined()
    expect(await bench.till.replay('another-key', echo, '{}')).toBeUndefined()
  })

  it('is forgotten after ten minutes', async () => {
    let aheadMs = 0
    const now = () => Date.now() + aheadMs
    const bench = await openBench({ now })
    ;(await bench.buy(await signed(), { key })).delivered(true)
    aheadMs = 9 * 60_000
    expect(await bench.till.replay(key, echo, '{}')).toBeDefined()
    aheadMs = 10 * 60_000 + 5000
    expect(await bench.till.replay(key, echo, '{}')).toBeUndefined()
  })

  it('keeps no errors', async () => {
    const bench = await openBench()
    Object.assign(bench.facilitator, { settle: 'refused', chain: 'truthful' })
    await expect(bench.buy(await signed(), { key })).rejects.toThrow(failure('insufficient_funds'))
    bench.facilitator.settle = 'well'
    expect(await bench.till.replay(key, echo, '{}')).toBeUndefined()
    expect((await bench.buy(await signed(), { key })).replayed).toBe(false)
  })

  it('takes no second payment while nobody knows the outcome of the first, and asks the chain for it', async () => {
    const bench = await openBench({ limits: { unknownMs: 200, sweepMs: 600_000 } })
    const { facilitator } = bench
    facilitator.settle = 'error before'
    const payment = await signed()
    await expect(bench.buy(payment, { key })).rejects.toThrow(failure('payment_unknown'))
    facilitator.settle = 'well'
    await expect(bench.buy(await signed(), { key })).rejects.toThrow(failure('idempotency_conflict'))
    const tx = `0x${'7'.repeat(64)}`
    facilitator.chain = 'truthful'
    facilitator.landed.push({ ...(payment.payload.authorization as never as Moved), tx })
    const given = await bench.buy(await signed(), { key })
    expect([given.replayed, receiptOf(given).payment_tx]).toEqual([true, tx])
    expect([bench.runs, facilitator.moved.size]).toEqual([1, 0])
  })

  it('ends the claim of its payment once the answer has arrived, and not before', async () => {
    const bench = await openBench()
    const payment = await signed()
    const presented = bench.till.decode(header(payment))
    const owes = () => bench.till.owes(presented)
    expect([owes(), bench.till.word(presented)]).toEqual([false, false])
    const sold = await bench.buy(payment, { key })
    expect(owes()).toBe(true)
    sold.delivered(false)
    ;(await bench.till.replay(key, echo, '{}'))?.delivered(false)
    expect(owes()).toBe(true)
    ;(await bench.till.replay(key, echo, '{}'))?.delivered(true)
    expect([owes(), bench.till.word(presented)]).toEqual([false, { tx: receiptOf(sold).payment_tx }])
  })

  it('is not called unused where the shared log cannot be read', async () => {
    let isAway = false
    const bench = await openBench({}, log => ({
      ...shared(log),
      end: topic => (isAway ? Promise.reject(new Error('away')) : log.end(topic)),
    }))
    expect(await bench.till.replay(key, echo, '{}')).toBeUndefined()
    isAway = true
    await expect(bench.till.replay(key, echo, '{}')).rejects.toThrow(failure('log_unavailable'))
  })

  it('makes calls in flight one call and one payment', async () => {
    const bench = await openBench()
    const gate = Promise.withResolvers<string>()
    const first = bench.buy(await signed(), { key, answer: () => gate.promise })
    await until(() => bench.runs === 1)
    const paid = bench.buy(await signed(), { key })
    const unpaid = bench.till.replay(key, echo, '{}')
    gate.resolve('{"said":"hello"}')
    expect([(await first).replayed, (await paid).replayed, (await unpaid)?.replayed]).toEqual([
      false,
      true,
      true,
    ])
    expect(bench.facilitator.calls.settle).toBe(1)
    expect(bench.runs).toBe(1)
  })

  it('lets the next one pay if the first in flight was refused', async () => {
    const bench = await openBench()
    const gate = Promise.withResolvers<string>()
    const first = bench.buy(await signed(), { key, answer: () => gate.promise })
    await until(() => bench.runs === 1)
    const second = bench.buy(await signed(), { key })
    gate.reject(new Error('broken'))
    await expect(first).rejects.toThrow('broken')
    expect((await second).replayed).toBe(false)
  })

  it('is one call among instances: the log is the judge', async () => {
    const bench = await openBench({}, shared)
    const here = bench.till
    const other = await openTill(options(shared(bench.log), bench.facilitator.url))
    for (let round = 0; round < 20; round++) {
      const key = `key-number-${round}`
      const both = [here, other].map(async till => {
        const payment = await signed()
        bench.till = till
        const sold = await bench.buy(payment, { key })
        sold.delivered(true)
        return sold
      })
      const [one, two] = await Promise.all(both)
      expect([one?.replayed, two?.replayed].sort()).toEqual([false, true])
      expect(receiptOf(one as never).payment_tx).toBe(receiptOf(two as never).payment_tx)
      expect((await other.replay(key, echo, '{}'))?.replayed).toBe(true)
    }
    bench.till = here
    await other.close()
    expect(bench.facilitator.calls.settle).toBe(20)
  })
})

describe('a payment identifier', () => {
  const id = 'an-identifier-of-enough-letters'

  it('replays to the very same payment, delivered or not', async () => {
    const bench = await openBench()
    const payment = await withIdentifier(id)
    const first = await bench.buy(payment)
    first.delivered(true)
    const second = await bench.buy(payment)
    expect(second.replayed).toBe(true)
    expect(JSON.stringify(JSON.parse(second.body))).toBe(isReplayOf(first.body))
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it('is a conflict with another payment: the identifier alone gets nothing', async () => {
    const bench = await openBench()
    ;(await bench.buy(await withIdentifier(id))).delivered(true)
    const other = await withIdentifier(id)
    await expect(bench.buy(other)).rejects.toThrow(failure('idempotency_conflict'))
    await expect(bench.buy(other, { key })).rejects.toThrow(failure('idempotency_conflict'))
    expect(bench.facilitator.calls.settle).toBe(1)
  })
})
