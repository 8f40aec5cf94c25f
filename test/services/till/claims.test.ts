/** A payment that is presented again. What was true before a wait is asked again after it. */
import { expect, it } from 'vitest'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { callerMs, type Purchase } from '../../../services/till/ledger/purchase.ts'
import { Quotes } from '../../../services/till/quotes.ts'
import { type ClaimParts, claims, type Presenter } from '../../../services/till/sale/presenter.ts'
import { fingerprintOf } from '../../../services/till/sale/replay.ts'
import type { Asking, Sold } from '../../../services/till/till.ts'
import { originOf } from '../an-origin.ts'
import { idOf, openLedger, promisedTo } from './ledgers.ts'
import { echo, header, payer, payTo, signed } from './paying.ts'
import type { Log } from './till-options.ts'
import { failure, openBench, receiptOf } from './tills.ts'

const isPromise = (value: string | null) => value?.includes('"step":"promised"') === true

/** The log fails once where it should take a promise. It remembers the steps that it has taken. */
function failing(log: Log, taken: string[]): Log {
  let failures = 1
  return {
    isOwned: true,
    follow: (...asked) => log.follow(...asked),
    watch: (...asked) => log.watch(...asked),
    end: topic => log.end(topic),
    lag: (...asked) => log.lag(...asked),
    close: () => log.close(),
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
  }
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

it('a first caller whose two minutes end while he waits for another instance gets nothing', async () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
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
  const purchase = (await ledger.promise(spendId, 'first', [], promisedTo(payer.address, named))) as Purchase
  ledger.recordSettled(purchase, { tx: '0x1', position: undefined }, false)
  const quotes = new Quotes({
    origins: [originOf([echo])],
    payTo: [{ name: 'base', address: payTo }],
    now,
  })
  const given = {} as Sold
  // Nothing is open, so nobody looks, settles or proves.
  const parts = { ledger, quotes, onError: () => {} } as unknown as ClaimParts
  const work = { handOver: async () => given } as unknown as Parameters<typeof claims>[1]
  const waiting = (ms: number) =>
    ({
      ...{ asking, keys: [], deadline: 0 },
      reservation: {
        hold: async () => {
          aheadMs += ms
        },
      },
    }) as unknown as Presenter
  expect(await claims(parts, work).claimed(purchase, waiting(callerMs / 2))).toBe(given)
  const late = claims(parts, work).claimed(purchase, waiting(callerMs / 2))
  await expect(late).rejects.toThrow(failure('payment_already_used'))
})
