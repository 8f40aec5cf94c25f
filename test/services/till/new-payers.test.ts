/** Payers who have paid nothing yet, many at once: a caller's refusals bound what they cost, and the honest are served. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { refusalsAMinute } from '../../../services/offer/rate.ts'
import { until } from '../../until.ts'
import { type Signed, seek, signed } from './paying.ts'
import { type Ask, type Bench, failure, openBench, receiptOf } from './tills.ts'

const many = 100
const ofWallets = (count = many): Promise<Signed[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      signed({}, Date.now(), 'base', privateKeyToAccount(generatePrivateKey()) as never),
    ),
  )

const ofOne = (count: number): Promise<Signed[]> => Promise.all(Array.from({ length: count }, () => signed()))

const codesOf = (bench: Bench, payments: readonly Signed[], ask: Ask = {}) =>
  Promise.all(
    payments.map(payment =>
      bench.buy(payment, { caller: 'one stranger', ...ask }).then(
        () => 'sold',
        error => error.code,
      ),
    ),
  )

async function promisesIn({ log }: Bench): Promise<number> {
  let promises = 0
  const watching = await log.watch(tillPromises.topic, batch => {
    for (const { value } of batch) if (value?.includes('"step":"promised"')) promises++
  })
  await watching.caughtUp
  await watching.close()
  return promises
}

describe('a hundred at once, from one caller, that cannot pay', () => {
  it.each([
    ['of as many wallets', () => ofWallets()],
    ['of one wallet', () => ofOne(many)],
  ])('%s cost thirty calls of the facilitator', async (_, payments) => {
    const bench = await openBench()
    Object.assign(bench.facilitator, { verify: 'refused', settle: 'refused', chain: 'truthful' })
    const codes = await codesOf(bench, await payments())
    expect(codes.filter(code => code === 'insufficient_funds')).toHaveLength(refusalsAMinute)
    expect(codes.filter(code => code === 'too_many_requests')).toHaveLength(many - refusalsAMinute)
    expect(bench.facilitator.calls).toMatchObject({ verify: 0, settle: refusalsAMinute })
  })

  it('have no long answer written for them', async () => {
    const bench = await openBench()
    Object.assign(bench.facilitator, { verify: 'refused', settle: 'refused', chain: 'truthful' })
    const answer = async () => JSON.stringify({ said: 'long '.repeat(20_000) })
    const codes = await codesOf(bench, await ofWallets(), { answer })
    expect(new Set(codes)).toEqual(new Set(['insufficient_funds', 'too_many_requests']))
    expect([bench.facilitator.calls.verify, await promisesIn(bench)]).toEqual([refusalsAMinute, 0])
  })
})

describe('a hundred at once, from one caller, that can pay', () => {
  it('of as many wallets are all served, and none is refused', async () => {
    const bench = await openBench()
    expect(new Set(await codesOf(bench, await ofWallets()))).toEqual(new Set(['sold']))
    expect(bench.facilitator.calls).toMatchObject({ verify: 0, settle: many })
  })

  it('of a wallet that has paid before all go at once, until it cannot pay', async () => {
    const bench = await openBench()
    expect(receiptOf(await bench.buy(await signed())).charged).toBe(true)
    Object.assign(bench.facilitator, { settle: 'refused', chain: 'truthful' })
    await expect(bench.buy(await signed())).rejects.toThrow(failure('insufficient_funds'))
    const codes = await codesOf(bench, await Promise.all(Array.from({ length: many }, () => signed())))
    expect(codes.filter(code => code === 'insufficient_funds').length).toBeLessThanOrEqual(refusalsAMinute)
  })
})

describe('a wallet that has paid, at an operation that trusts it', () => {
  const operation = { ...seek, trusts: true as const }
  const paying = async () => {
    const bench = await openBench()
    await bench.buy(await signed(), { operation })
    expect(bench.facilitator.calls).toMatchObject({ verify: 1, settle: 1 })
    return bench
  }
  const buying = (bench: Bench, payment: Signed) => bench.buy(payment, { operation, caller: 'one stranger' })

  it('is verified by its settlement, in eight calls at once', async () => {
    const bench = await paying()
    bench.facilitator.settle = 'hold'
    const trusted = Promise.all((await ofOne(8)).map(payment => buying(bench, payment)))
    await until(() => bench.facilitator.held.length === 8)
    expect(bench.facilitator.calls.verify).toBe(1)
    bench.facilitator.verify = 'refused'
    await expect(buying(bench, await signed())).rejects.toThrow(failure('insufficient_funds'))
    expect(bench.facilitator.calls.verify).toBe(2)
    for (const answer of bench.facilitator.held.splice(0)) answer()
    for (const sold of await trusted) expect(receiptOf(sold).charged).toBe(true)
  })

  it('is asked for a verification again once it could not pay, and is free', async () => {
    const bench = await paying()
    Object.assign(bench.facilitator, { verify: 'refused', settle: 'refused', chain: 'truthful' })
    const codes = []
    for (const payment of await ofOne(3))
      codes.push(await buying(bench, payment).catch(error => [error.code, error.charged]))
    expect(codes).toEqual(Array(3).fill(['insufficient_funds', false]))
    expect(bench.facilitator.calls).toMatchObject({ verify: 3, settle: 2 })
  })

  it('is trusted nowhere else, and no wallet whose signature only the facilitator can judge', async () => {
    const bench = await paying()
    await bench.buy(await signed(), { operation: seek })
    const long = await signed({ validBefore: String(Math.floor(Date.now() / 1000) + 3000) })
    await buying(bench, long)
    expect(bench.facilitator.calls).toMatchObject({ verify: 3, settle: 3 })
  })
})
