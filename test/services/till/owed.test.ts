import { describe, expect, it } from 'vitest'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Promised } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import { answerTexts } from '../../../services/till/ledger/answer-text.ts'
import { Owed } from '../../../services/till/ledger/owed.ts'
import { openPurchase, type Purchase } from '../../../services/till/ledger/purchase.ts'
import { Purchases } from '../../../services/till/ledger/purchases.ts'
import { scratchFolder } from '../../scratch.ts'
import { openTestBlobs } from './till-options.ts'

const minute = 60_000
const mostBytes = 32 << 20

async function openOwed(limits?: { count: number; bytes: number }) {
  const clock = { ms: Date.parse('2026-04-13T14:00:00Z') }
  const now = () => clock.ms
  const purchases = new Purchases('run', now)
  const blobs = await openTestBlobs(scratchFolder())
  const answers = answerTexts(blobs, 2 * 60 * minute)
  const given: string[] = []
  const failed: unknown[] = []
  const parts = {
    ...{ purchases, answers, now },
    giveUp: ({ spendId }: Purchase) => void given.push(spendId),
    onError: (error: unknown) => void failed.push(error),
  }
  const owed = new Owed(parts, limits)
  return {
    ...{ clock, purchases, answers, given, failed, owed },
    lose(name: string, answer = `{"of":"${name}"}`, lifeMs = 0) {
      const dead_at = instant(clock.ms + lifeMs)
      const promised = { answer, promised_at: instant(clock.ms), dead_at, network: 'base' }
      const purchase = openPurchase({
        ...{ spendId: name, requestId: name, keys: [], promised: promised as Promised },
        ...{ holder: 'run', writtenAt: clock.ms, isWritten: true },
      })
      purchases.put(purchase)
      purchases.settled(purchase, { tx: `tx of ${name}`, position: undefined }, clock.ms)
      return purchase
    },
    /** The chain is silent about its payment. */
    doubt(name: string, answer?: string, lifeMs?: number) {
      return Object.assign(this.lose(name, answer, lifeMs), { state: 'open', tx: undefined })
    },
  }
}

const told = async () =>
  Promise.all(
    [metrics.answersOwed, metrics.answersOwedBytes, metrics.answersOwedOldestSeconds].map(
      async gauge => (await gauge.get()).values[0]?.value,
    ),
  )

/** Text that does not compress. */
const noise = (length: number) =>
  Array.from({ length: length / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8, '0')).join('')

describe('An answer', () => {
  it('is kept up to its bound, and is refused beyond it before anybody pays', async () => {
    const answers = answerTexts(await openTestBlobs(scratchFolder()), minute)
    const longest = `{"a":"${'a'.repeat(mostBytes - 8)}"}`
    expect(await answers.unpack(await answers.pack(longest))).toBe(longest)
    await expect(answers.pack(`${longest} `)).rejects.toThrow(RangeError)
  })
})

describe('Answers that were paid and not delivered', () => {
  it('leave the memory within a minute, and can be read for seven days', async () => {
    const { clock, purchases, answers, owed, lose, given } = await openOwed()
    const text = `{"it":"${noise(100_000)}"}`
    const large = lose('large', await answers.pack(text))
    const small = lose('small')
    await owed.keep()
    expect(large.promised.answer.length).toBeGreaterThan(2048)
    clock.ms += minute
    await owed.keep()
    expect(large.promised.answer.length).toBeLessThan(200)
    expect(small.promised.answer).toBe('{"of":"small"}')
    clock.ms += 7 * 24 * 60 * minute - 2 * minute
    await owed.keep()
    expect(await answers.unpack(large.promised.answer)).toBe(text)
    expect([given, purchases.undelivered.length]).toEqual([[], 2])
    clock.ms += 2 * minute
    await owed.keep()
    expect([given, purchases.undelivered.length]).toEqual([['large', 'small'], 0])
  })

  it('are shown to the operator while they are owed, and not while they are on their way', async () => {
    const { clock, owed, lose, answers, purchases } = await openOwed()
    expect(await told()).toEqual([0, 0, 0])
    const large = lose('large', await answers.pack(`{"it":"${noise(100_000)}"}`))
    await owed.keep()
    expect(await told()).toEqual([0, 0, 0])
    clock.ms += 60 * minute
    const small = lose('small')
    clock.ms += minute
    await owed.keep()
    const stored = answers.storedBytes(large.promised.answer)
    expect(await told()).toEqual([2, stored + small.promised.answer.length, 3660])
    purchases.delivered(large, clock.ms)
    await owed.keep()
    expect(await told()).toEqual([1, small.promised.answer.length, 60])
    purchases.delivered(small, clock.ms)
    await owed.keep()
    expect(await told()).toEqual([0, 0, 0])
  })

  it('are bounded in number: the oldest are given up, and reported', async () => {
    const { owed, lose, given, purchases } = await openOwed({ count: 3, bytes: 1e9 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) lose(name)
    await owed.keep()
    expect(given).toEqual(['a', 'b'])
    expect(purchases.undelivered.map(({ spendId }) => spendId)).toEqual(['c', 'd', 'e'])
    await owed.keep()
    expect(given).toEqual(['a', 'b'])
  })

  it('are bounded in number, but a payment that still lives is remembered, and its answer is made again', async () => {
    const { clock, owed, lose, given, purchases } = await openOwed({ count: 1, bytes: 1e9 })
    const living = lose('living', undefined, 60 * minute)
    for (const name of ['a', 'b']) lose(name)
    await owed.keep()
    expect([given, living.promised.answer]).toEqual([['a'], ''])
    expect([
      purchases.of('living'),
      purchases.mayHaveForgotten(clock.ms + 1, '0'.repeat(8) + 'f'.repeat(56)),
    ]).toEqual([living, false])
  })

  it('leave the memory while nobody can say how their payment ends, though it lives for an hour', async () => {
    const bench = await openOwed()
    const { clock, owed, purchases, answers } = bench
    const text = `{"it":"${noise(100_000)}"}`
    const open = bench.doubt('open', await answers.pack(text), 60 * minute)
    // A payment of our quotes may still end by itself.
    clock.ms += 4 * minute
    await owed.keep()
    expect(open.promised.answer.length).toBeGreaterThan(2048)
    clock.ms += minute
    await owed.keep()
    expect(open.promised.answer.length).toBeLessThan(200)
    expect(await answers.unpack(open.promised.answer)).toBe(text)
    expect(purchases.open).toEqual([open])
  })

  it('are bounded in bytes of the store: the oldest answers make room, their purchases stay', async () => {
    const { clock, owed, lose, given, purchases, answers } = await openOwed({ count: 100, bytes: 200_000 })
    for (const name of ['a', 'b', 'c', 'd']) lose(name, await answers.pack(`{"it":"${noise(100_000)}"}`))
    clock.ms += minute
    await owed.keep()
    await owed.keep()
    expect(given.length).toBeGreaterThan(0)
    expect(given).toEqual(['a', 'b', 'c', 'd'].slice(0, given.length))
    expect(purchases.undelivered).toHaveLength(4)
    const stored = purchases.undelivered.reduce(
      (sum, { promised }) => sum + answers.storedBytes(promised.answer),
      0,
    )
    expect(stored).toBeLessThanOrEqual(200_000)
    expect(stored).toBeGreaterThan(0)
    // Each is reported once, even if its answer is only made again on request.
    lose('e', '')
    clock.ms += 8 * 24 * 60 * minute
    await owed.keep()
    expect(given.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('make room first where no charge is known, and of those the operator hears nothing', async () => {
    const bench = await openOwed({ count: 100, bytes: 100_000 })
    const { clock, owed, given, answers } = bench
    const stored = () => answers.pack(`{"it":"${noise(100_000)}"}`)
    const small = bench.lose('small')
    const large = bench.lose('large', await stored())
    const open = bench.doubt('open', await stored(), 60 * minute)
    clock.ms += 5 * minute
    await owed.keep()
    expect([open.promised.answer, given]).toEqual(['', []])
    expect(answers.storedBytes(large.promised.answer)).toBeGreaterThan(0)
    const larger = bench.lose('larger', await stored())
    bench.lose('largest', await stored())
    clock.ms += minute
    await owed.keep()
    // Those without a place in the store free nothing there, so they stay.
    expect(given).toEqual(['large', 'larger'])
    expect([small, large, larger].map(({ promised }) => promised.answer)).toEqual(['{"of":"small"}', '', ''])
  })

  it('leave the memory a hundred in a sweep', async () => {
    const { clock, owed, lose, purchases, answers } = await openOwed()
    for (let nth = 0; nth <= 100; nth++) lose(`${nth}`, `{"it":"${'a'.repeat(3000)}"}`)
    clock.ms += minute
    const stored = () =>
      purchases.undelivered.filter(({ promised }) => answers.storedBytes(promised.answer) > 0).length
    await owed.keep()
    expect(stored()).toBe(100)
    await owed.keep()
    expect(stored()).toBe(101)
  })

  it('are given up without an end only where there are too many, the oldest first', async () => {
    const bench = await openOwed({ count: 2, bytes: 1e9 })
    const { clock, owed, given, failed, purchases } = bench
    for (const name of ['a', 'b']) bench.doubt(name)
    clock.ms += 5 * minute
    await owed.keep()
    expect(purchases.open.map(({ spendId }) => spendId)).toEqual(['a', 'b'])
    bench.doubt('c')
    clock.ms += 5 * minute
    await owed.keep()
    expect(purchases.open.map(({ spendId }) => spendId)).toEqual(['b', 'c'])
    // Nobody knows of a charge, so no refund is owed. The chain is asked if the payment comes again.
    expect([given, failed.length]).toEqual([[], 1])
    expect(purchases.mayHaveForgotten(clock.ms - 10 * minute, 'a')).toBe(true)
  })

  it('are bounded in memory: nothing more is promised until there is room', async () => {
    const { clock, owed, lose, purchases } = await openOwed()
    lose('a', 'x'.repeat(64 << 20))
    expect(purchases.isFull).toBe(false)
    lose('b')
    expect(purchases.isFull).toBe(true)
    clock.ms += minute
    await owed.keep()
    expect(purchases.isFull).toBe(false)
  })

  it('stay if the store is away', async () => {
    const { clock, owed, lose, failed, purchases, answers } = await openOwed()
    const lost = lose('lost', await answers.stow(`{"it":"${noise(10_000)}"}`, 0))
    clock.ms += minute
    lost.promised = { ...lost.promised, answer: 'b2020-01-01T00/0000#1' }
    await owed.keep()
    expect(failed).toHaveLength(1)
    expect(purchases.undelivered).toHaveLength(1)
  })

  it('leave the memory, though the answer of an older one is lost', async () => {
    const { clock, owed, lose, failed, purchases, answers } = await openOwed()
    const lost = lose('lost', await answers.stow(`{"it":"${noise(10_000)}"}`, 0))
    lost.promised = { ...lost.promised, answer: `${lost.promised.answer.slice(0, 15)}${'0'.repeat(64)}` }
    const younger = await Promise.all(
      ['a', 'b'].map(async name => lose(name, await answers.pack(`{"it":"${noise(100_000)}"}`))),
    )
    clock.ms += minute
    await owed.keep()
    expect(failed).toEqual([expect.objectContaining({ name: 'BlobLost' })])
    for (const { promised } of younger) expect(promised.answer.length).toBeLessThan(200)
    await owed.keep()
    expect(failed).toHaveLength(1)
    expect([lost.promised.answer, purchases.undelivered.length]).toEqual(['', 3])
  })
})
