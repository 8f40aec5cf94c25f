/** Payers who have paid nothing yet, many at once: a caller's refusals bound what they cost, and the honest are served. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { refusalsAMinute } from '../../../services/offer/rate.ts'
import { type Signed, signed } from './paying.ts'
import { type Ask, type Bench, failure, openBench, receiptOf } from './tills.ts'

const many = 100
const ofWallets = (count = many): Promise<Signed[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      signed({}, Date.now(), 'base', privateKeyToAccount(generatePrivateKey()) as never),
    ),
  )

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
    ['of one wallet', () => Promise.all(Array.from({ length: many }, () => signed()))],
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
