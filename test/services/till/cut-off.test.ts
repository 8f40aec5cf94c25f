/** An instance that does not hear the others calls no payment free that one of them may have charged. */
import { expect, it, onTestFinished } from 'vitest'
import { Latest } from '../../../services/till/ledger/latest.ts'
import { openTill, type TillOptions } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { cutLog } from './cut-log.ts'
import { header, type Signed, seek, signed } from './paying.ts'
import { type Ask, type Bench, openBench, options, shared } from './tills.ts'

/** A second instance beside the first one, over a log that can be cut off from it. */
async function openSecond(more: Partial<TillOptions> = {}) {
  const bench = await openBench({}, shared)
  bench.facilitator.chain = 'truthful'
  const { log, state, heal } = cutLog(bench.log)
  const first = bench.till
  const second = await openTill(options(log, bench.facilitator.url, more))
  onTestFinished(async () => {
    bench.till = first
    heal()
    await second.close()
  })
  return { bench, second, state, heal }
}

/** What a buyer at this instance is told of a charge. */
async function wordFor(bench: Bench, payment: Signed, ask: Ask = {}) {
  const error = await bench.buy(payment, ask).then(
    () => Promise.reject(new Error('sold')),
    error => error,
  )
  const { till } = bench
  return error.charged === false ? till.recalled(till.decode(header(payment)), 'the payer') : error.charged
}

it('nobody can tell, at an instance that has lost the log', async () => {
  const { bench, second, state, heal } = await openSecond()
  Object.assign(state, { isWritten: false, isHeard: false })
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(false)
  bench.till = second
  expect(await wordFor(bench, payment)).toBe(null)
  // Nobody but the payer can have signed it, so no instance has taken it.
  const unsigned = { ...payment, payload: { ...payment.payload, signature: 'none' } }
  expect(await second.recalled(second.decode(header(unsigned)), 'a stranger')).toBe(false)
  heal()
  await until(() => second.knows(second.decode(header(payment))), 'the sale to be heard of')
})

it('nobody can tell, at an instance that hears late: the facilitator calls the nonce used', async () => {
  const { bench, second, state } = await openSecond()
  state.isHeard = false
  const payment = await signed()
  ;(await bench.buy(payment, { operation: seek })).delivered(true)
  Object.assign(bench.facilitator, { verify: 'refused', reason: 'invalid_exact_evm_nonce_already_used' })
  bench.till = second
  expect(await wordFor(bench, payment, { operation: seek })).toBe(null)
})

it('it was charged, once the instance has heard what was written before the question', async () => {
  const { bench, second, state, heal } = await openSecond()
  state.isHeard = false
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(true)
  const word = second.recalled(second.decode(header(payment)), 'the payer')
  heal()
  expect(await word).not.toBe(false)
  await until(async () => (await second.recalled(second.decode(header(payment)), 'the payer')) !== null)
  expect(await second.recalled(second.decode(header(payment)), 'the payer')).toMatchObject({
    tx: expect.stringMatching(/^0x/),
  })
})

it('such an instance is not ready, until it reads back again what it writes', async () => {
  let aheadMs = 0
  const { second, state, heal } = await openSecond({ uptime: () => performance.now() + aheadMs })
  expect(second.closed()).toBe(undefined)
  state.isHeard = false
  aheadMs = 11_000
  expect(second.closed()).toMatch(/log/)
  heal()
  await until(() => second.closed() === undefined, 'a beat to be read back')
})

it('the log is read once for all who ask meanwhile, and never for who came after', async () => {
  const readings: PromiseWithResolvers<void>[] = []
  const latest = new Latest(() => {
    const reading = Promise.withResolvers<void>()
    readings.push(reading)
    return reading.promise
  })
  const first = latest.ask()
  const later = [latest.ask(), latest.ask()]
  expect(readings).toHaveLength(1)
  readings[0]?.resolve()
  expect(await first).toBe(true)
  await until(() => readings.length === 2, 'the second reading')
  readings[1]?.reject(new Error('no broker'))
  expect(await Promise.all(later)).toEqual([false, false])
  expect(readings).toHaveLength(2)
})

it('a payment that it had refused, and that another has sold since, buys no second answer there', async () => {
  const { bench, second, state, heal } = await openSecond({ limits: { sweepMs: 600_000, unknownMs: 200 } })
  const first = bench.till
  const payment = await signed()
  bench.till = second
  Object.assign(bench.facilitator, { settle: 'refused', reason: 'insufficient_funds' })
  await expect(bench.buy(payment)).rejects.toMatchObject({ charged: false })
  bench.facilitator.settle = 'well'
  state.isHeard = false
  bench.till = first
  const elsewhere = { question: '{"say":"another question"}' }
  await until(async () => (await bench.buy(payment, elsewhere)).delivered(true) === undefined, 'the sale')
  bench.till = second
  let isOver = false
  state.isLost = value => {
    isOver ||= value.includes('"step":"taken"')
    return false
  }
  const again = bench
    .buy(payment)
    .then(
      () => 'sold',
      ({ charged }) => charged,
    )
    .finally(() => {
      isOver = true
    })
  await until(() => isOver, 'the end of the call, or its claim')
  heal()
  expect(await again).not.toBe('sold')
  expect(bench.facilitator.moved.size).toBe(1)
})
