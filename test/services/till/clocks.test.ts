/** A clock that jumps, or is wrong on one instance, sells no transfer twice. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteLog } from '../../../pipelines/rails/log/sqlite-log.ts'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import type { Promised } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import { openPurchase } from '../../../services/till/ledger/purchase.ts'
import { Purchases } from '../../../services/till/ledger/purchases.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { header, type Signed, signed } from './paying.ts'
import { type Log, topics } from './till-options.ts'
import { type Bench, failure, openBench, options, shared } from './tills.ts'

const minute = 60_000
const isKnown = ({ till }: Bench, payment: Signed) => till.knows(till.decode(header(payment)))

async function openTurned(as = (log: Log): Log => log) {
  const turn = { aheadMs: 0 }
  const now = () => Date.now() + turn.aheadMs
  const bench = await openBench({ now, limits: { sweepMs: 10 } }, as)
  bench.facilitator.chain = 'truthful'
  return { turn, bench }
}

async function sold(bench: Bench): Promise<Signed> {
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(true)
  return payment
}

describe('A clock that jumps an hour ahead and comes back', () => {
  it.each([
    ['a log of its own', undefined],
    ['a log that instances share', shared],
  ])('sells no forgotten payment again, and a new one still: %s', async (_, as) => {
    const { turn, bench } = await openTurned(as)
    const payment = await sold(bench)
    turn.aheadMs = 60 * minute
    await until(() => !isKnown(bench, payment), 'the purchase to be forgotten')
    turn.aheadMs = 0
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_already_used'))
    expect([bench.runs, bench.facilitator.calls.settle]).toEqual([1, 1])
    expect(await bench.till.recalled(bench.till.decode(header(payment)), 'the payer')).toMatchObject({
      tx: expect.any(String),
    })
    await sold(bench)
    expect(bench.runs).toBe(2)
  })

  it('nor after a restart, though the log is read from a later place', async () => {
    const { turn, bench } = await openTurned()
    const payment = await sold(bench)
    await until(async () => {
      turn.aheadMs += minute
      return turn.aheadMs > 30 * minute && !isKnown(bench, payment)
    }, 'the purchase to be forgotten')
    await bench.restart()
    expect(isKnown(bench, payment)).toBe(false)
    turn.aheadMs = 0
    bench.facilitator.chain = 'silent'
    await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    bench.facilitator.chain = 'truthful'
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_already_used'))
    expect(bench.runs).toBe(1)
  })
})

/** Another process opens the log while the date is wrong, and keeps it until the log was swept. */
async function sweptAhead(folder: string, aheadMs: number): Promise<void> {
  const mark: Topic = { name: 'mark', keep: 'newest' }
  const now = () => Date.now() + aheadMs
  const log = await openSqliteLog(`${folder}/log.db`, { topics: [...topics, mark], now, sweepMs: 5 })
  for (const value of ['1', '2']) await log.append(mark, [{ key: 'k', value }])
  await until(async () => {
    let count = 0
    const watching = await log.watch(mark, batch => {
      count += batch.length
    })
    await watching.caughtUp
    await watching.close()
    return count === 1
  }, 'a sweep')
  await log.close()
}

describe('A clock that jumps 13 hours ahead together with a restart', () => {
  it.each(['well', 'error after'] as const)('loses no promise: %s', async settle => {
    const bench = await openBench({ limits: { unknownMs: 100 } })
    bench.facilitator.settle = settle
    const payment = await signed()
    const first = await bench.buy(payment).catch(error => error)
    first.delivered?.(true)
    await bench.till.close()
    await bench.log.close()
    await sweptAhead(bench.folder, 13 * 60 * minute)
    await sweptAhead(bench.folder, 13 * 60 * minute)
    await bench.restart()
    expect(isKnown(bench, payment)).toBe(true)
    expect([bench.runs, bench.facilitator.calls.settle > 0]).toEqual([1, true])
  })
})

describe('An instance whose clock is behind the others’', () => {
  it('sells no forgotten payment again: not one that ran all the time, and not one that starts', async () => {
    const turn = { aheadMs: 0 }
    const turned = () => Date.now() + turn.aheadMs
    /** The log's clock is right, as are those of the others. */
    const seen = (log: Log): Log => ({
      ...shared(log),
      watch: (topic, hear, ...more) =>
        log.watch(
          topic,
          batch => hear(batch.map(each => ({ ...each, at: each.at + turn.aheadMs }))),
          ...more,
        ),
    })
    const limits = { sweepMs: 10 }
    const bench = await openBench({ now: turned, limits }, seen)
    bench.facilitator.chain = 'truthful'
    const openBehind = async () => {
      const till = await openTill(
        options(seen(bench.log), bench.facilitator.url, { now: Date.now, uptime: turned, limits }),
      )
      onTestFinished(() => till.close())
      return till
    }
    const behind = await openBehind()
    const payment = await sold(bench)
    let checkpoint = false
    const watching = await bench.log.watch(tillOpen.topic, batch => {
      checkpoint ||= batch.some(({ value }) => value?.includes('"forgotten":"') ?? false)
    })
    await until(() => {
      turn.aheadMs += minute
      return turn.aheadMs > 60 * minute && checkpoint && !isKnown(bench, payment)
    }, 'the purchase to be forgotten')
    await watching.close()
    for (const till of [behind, await openBehind()]) {
      bench.till = till
      await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
        failure('payment_already_used'),
      )
    }
    expect([bench.runs, bench.facilitator.calls.settle]).toEqual([1, 1])
  })
})

it('a payment is remembered for as long as it may live, whatever the date says meanwhile', () => {
  const at = Date.parse('2026-04-13T14:00:00Z')
  const clock = { date: at, uptime: 0 }
  const purchases = new Purchases(
    'run',
    () => clock.date,
    () => clock.uptime,
  )
  const promised = { answer: '{}', promised_at: instant(at), dead_at: instant(at + minute), network: 'base' }
  const purchase = openPurchase({
    ...{ spendId: 'it', requestId: 'it', keys: [], promised: promised as Promised },
    ...{ holder: 'run', writtenAt: at, isWritten: true },
  })
  purchases.put(purchase)
  purchases.settled(purchase, { tx: 'tx', position: undefined }, at)
  purchases.delivered(purchase, at)
  clock.date += 24 * 60 * minute
  purchases.forget()
  purchases.forget()
  expect([purchases.of('it'), purchases.mayHaveForgotten(at + minute, 'another')]).toEqual([purchase, false])
  clock.uptime += 3 * minute
  purchases.forget()
  purchases.forget()
  expect([purchases.of('it'), purchases.mayHaveForgotten(at + minute, 'another')]).toEqual([undefined, true])
  expect(purchases.mayHaveForgotten(at + minute + 1, 'another')).toBe(false)
})
