/** A payment that is presented again. What was true before a wait is asked again after it. */
import { expect, it } from 'vitest'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { callerMs, type Purchase } from '../../../services/till/ledger/purchase.ts'
import { Quotes } from '../../../services/till/quotes.ts'
import { type ClaimParts, claims } from '../../../services/till/sale/presenter.ts'
import { fingerprintOf } from '../../../services/till/sale/replay.ts'
import type { Asking } from '../../../services/till/till.ts'
import { sameLog } from '../../same-log.ts'
import { originOf } from '../an-origin.ts'
import { idOf, openLedger, signedTo } from './ledgers.ts'
import { echo, header, payer, payTo, signed } from './paying.ts'
import type { Moved } from './stub-chain.ts'
import type { Log } from './till-options.ts'
import { failure, openBench, receiptOf } from './tills.ts'

const isPromise = (value: string | null) => value?.includes('"step":"promised"') === true

/** The log fails once where it should take a promise. It remembers the steps that it has taken. */
function failing(log: Log, taken: string[]): Log {
  let failures = 1
  return sameLog(log, {
    isOwned: true,
    async append(topic, entries) {
      if (topic.name === tillPromises.topic.name) {
        if (failures > 0 && entries.some(({ value }) => isPromise(value))) {
          failures--
          throw new Error('the disk is full')
        }
        taken.push(...entries.map(({ value }) => JSON.parse(value as string).step))
      }
      await log.append(topic, entries)
    },
  })
}

it('a payment is settled only after the log has its promise, also at a second try', async () => {
  const taken: string[] = []
  const bench = await openBench({}, log => failing(log, taken))
  const payment = await signed()
  await expect(bench.buy(payment)).rejects.toThrow(failure('log_unavailable'))
  expect(bench.facilitator.calls.settle).toBe(0)
  bench.facilitator.moodFor = () => {
    expect(taken).toContain('promised')
    return undefined
  }
  const sold = await bench.buy(payment)
  expect(receiptOf(sold).charged).toBe(true)
  await bench.restart()
  const presented = bench.till.decode(header(payment))
  expect([bench.till.knows(presented), bench.runs]).toEqual([true, 1])
  expect((await bench.buy(payment)).replayed).toBe(true)
  expect(bench.facilitator.calls.settle).toBe(1)
})

it('an open payment that passes its checks no more is looked up, and not settled again', async () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  // Nobody waits for as long as the first pause, so no second try is on its way when the clock moves.
  const bench = await openBench({ now, limits: { unknownMs: 50, sweepMs: 600_000 } })
  const { facilitator } = bench
  facilitator.settle = 'error before'
  const payment = await signed()
  await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
  const { settle } = facilitator.calls
  aheadMs = 90_000
  facilitator.settle = 'well'
  await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
  const tx = `0x${'7'.repeat(64)}`
  facilitator.landed.push({ ...(payment.payload.authorization as never as Moved), tx })
  facilitator.chain = 'truthful'
  expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
  expect([facilitator.calls.settle, bench.runs]).toEqual([settle, 1])
})

it('a first caller whose two minutes end while he waits for another instance gets nothing', async () => {
  const clock = { aheadMs: 0 }
  const { ledger, purchase, claim } = await openClaim(() => Date.now() + clock.aheadMs)
  ledger.recordSettled(purchase, { tx: '0x1', position: undefined }, false)
  const passing = (ms: number) => async () => {
    clock.aheadMs += ms
  }
  expect(await claim(passing(callerMs / 2))).toBe('given')
  await expect(claim(passing(callerMs / 2))).rejects.toThrow(failure('payment_already_used'))
})

it('a purchase that turns out to have failed while its payer waits gives nothing', async () => {
  const { ledger, purchase, claim } = await openClaim(Date.now)
  expect(await claim(() => ledger.recordFailed(purchase, 'expired', true))).toBeUndefined()
})

/** A purchase, and its first caller, who comes again. `wait` is what happens while he waits for other instances. */
async function openClaim(now: () => number) {
  const ledger = await openLedger(now)
  const asking: Asking = {
    ...{ product: echo, question: '{}', caller: 'the payer', requestId: 'again' },
    idempotencyKey: undefined,
    answer: async () => '{"said":"hello"}',
  }
  const spendId = idOf('a spend')
  const named = {
    caller: ledger.callers.of(spendId, 'the payer'),
    fingerprint: fingerprintOf(spendId, asking),
  }
  const purchase = (await ledger.promise(spendId, 'first', [], signedTo(payer.address, named))) as Purchase
  const quotes = new Quotes({
    origins: [originOf([echo])],
    payTo: [{ name: 'base', address: payTo }],
    now,
  })
  // After the wait nothing is open, so nobody looks, settles or proves.
  const parts = { ledger, quotes, onError: () => {} } as unknown as ClaimParts
  const work = { handOver: async () => 'given' } as unknown as Parameters<typeof claims>[1]
  const { claimed } = claims(parts, work)
  const claim = (wait: () => Promise<void>) =>
    claimed(purchase, { ...{ asking, keys: [], deadline: 0 }, reservation: { hold: wait } as never })
  return { ledger, purchase, claim }
}
