/** Sales are followed until their chain calls them final, on a chain that the test makes. */
import { expect, it } from 'vitest'
import type { Depth, Paid, Standing, StandsAt } from '../../../pipelines/domains/payments/standing.ts'
import { newestNow } from '../../../pipelines/rails/log/events.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { followFinality } from '../../../pipelines/workers/finality/finality.ts'
import { Follower } from '../../../pipelines/workers/finality/follower.ts'
import { finality, type TakenBack, takenBack } from '../../../schemas/finality.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import { entryOf, settlement } from '../../schemas/settlement.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

class PlayStanding implements Standing {
  lifeMs = 1000
  mostAtOnce = 2
  finalMs = 0
  /** Absent: its chain knows no safe head. */
  safeMs: number | undefined
  readonly safe = new Set<string>()
  undoneMs: number | undefined
  readonly places = new Map<string, StandsAt>()
  /** Questions about many, and about one. */
  readonly asked = { many: 0, one: 0 }
  fails = new Set<string>()

  async look() {
    return { finalMs: this.finalMs, safeMs: this.safeMs ?? this.finalMs, undoneMs: this.undoneMs }
  }
  async standing(sales: readonly Paid[], upTo: Depth | 'latest') {
    this.asked.many++
    return new Set(
      sales.filter(({ spendId, tx }) => {
        const place = this.places.get(spendId)
        const isSafe = upTo === 'safe' && this.safe.has(spendId)
        return place?.tx === tx && (upTo === 'latest' || place.isFinal || isSafe)
      }),
    )
  }
  async placesOf(sales: readonly Paid[]) {
    this.asked.many++
    const found = sales.flatMap(sale => {
      const place = this.places.get(sale.spendId)
      return place ? [[sale, place] as const] : []
    })
    return new Map(found)
  }
  async gone(sales: readonly Paid[]) {
    if (sales.length > this.mostAtOnce) throw new Error('too many for one question')
    this.asked.many++
    return new Set(sales.filter(({ spendId }) => !this.places.has(spendId)))
  }
  async placeOf({ spendId }: Paid) {
    this.asked.one++
    if (this.fails.has(spendId)) throw new Error('the node does not answer')
    return this.places.get(spendId)
  }
}

function following() {
  const standing = new PlayStanding()
  const told: [string, TakenBack['state'], string | null][] = []
  const errors: unknown[] = []
  let clock = 5000
  const follower = new Follower({
    standing,
    tell: async ({ spendId }, state, tx) => {
      told.push([spendId, state, tx])
      return clock++
    },
    onFailed: error => errors.push(error),
  })
  const sale = (spendId: string, atMs: number) => ({
    ...{ spendId, tx: `tx of ${spendId}`, receiptTx: `tx of ${spendId}`, payer: '0x1', payTo: '0x2' },
    ...{ amount: 2000n, atMs, requestId: 'request', amountUsdc: '0.002', partition: 0, offset: BigInt(atMs) },
  })
  const stand = (spendId: string, isFinal: boolean, tx = `tx of ${spendId}`) =>
    standing.places.set(spendId, { tx, atMs: 0, isFinal })
  const round = (readMs = Number.POSITIVE_INFINITY) => follower.round(AbortSignal.timeout(5000), readMs)
  return { standing, follower, told, errors, sale, stand, round }
}

it('a sale is final when the final head holds it, and one question serves many', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  standing.mostAtOnce = 1000
  for (let i = 1; i <= 500; i++) {
    follower.add(sale(`sale ${i}`, i))
    stand(`sale ${i}`, true)
  }
  await round()
  expect([follower.size, follower.line('final'), standing.asked]).toEqual([500, 0, { many: 0, one: 0 }])
  standing.finalMs = 400
  await round()
  expect([follower.size, follower.line('final')]).toEqual([100, 400])
  standing.finalMs = 600
  await round()
  expect([follower.size, follower.line('final'), standing.asked]).toEqual([0, 600, { many: 2, one: 0 }])
  // A sale that is in the log and not read yet may be older.
  standing.finalMs = 700
  await round(650)
  expect(follower.line('final')).toBe(650)
  expect(told).toEqual([])
})

it('a sale is safe before it is final, once the safe head holds it, and one question serves many', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  standing.mostAtOnce = 1000
  for (let i = 1; i <= 300; i++) {
    follower.add(sale(`sale ${i}`, i))
    stand(`sale ${i}`, false)
    standing.safe.add(`sale ${i}`)
  }
  standing.safeMs = 200
  await round()
  expect([follower.size, follower.line('safe'), follower.line('final')]).toEqual([300, 200, 0])
  await round()
  expect(standing.asked).toEqual({ many: 1, one: 0 })
  standing.safeMs = 400
  await round()
  expect([follower.size, follower.line('safe'), follower.line('final')]).toEqual([300, 400, 0])
  standing.finalMs = 350
  for (let i = 1; i <= 300; i++) stand(`sale ${i}`, true)
  await round()
  expect([follower.size, follower.line('safe'), follower.line('final')]).toEqual([0, 400, 350])
  expect(standing.asked).toEqual({ many: 3, one: 0 })
  expect(told).toEqual([])
})

it('what the safe head holds no more is taken back before the final head comes so far', async () => {
  const { standing, follower, told, sale, round } = following()
  follower.add(sale('gone', 10))
  standing.safeMs = 20
  await round()
  await round()
  expect(told).toEqual([['gone', 'taken_back', null]])
  expect(follower.line('safe')).toBe(20)
})

it('a chain without sales that wait is not asked', async () => {
  const { standing, follower, sale, stand, round } = following()
  standing.finalMs = 5000
  follower.add(sale('sold', 10))
  stand('sold', true)
  await round()
  standing.look = () => Promise.reject(new Error('asked'))
  await round()
  follower.add(sale('sold later', 6000))
  await expect(round()).rejects.toThrow('asked')
})

it('one look that misses a sale takes nothing back, and two do, once', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  follower.add(sale('gone', 10))
  follower.add(sale('older', 5))
  stand('older', true)
  standing.finalMs = 20
  await round()
  expect([told, follower.line('final')]).toEqual([[], 9])
  await round()
  await round()
  expect(told).toEqual([['gone', 'taken_back', null]])
  // The line passes those that analysts know by name.
  follower.add(sale('newer', 15))
  stand('newer', true)
  await round()
  expect([follower.line('final'), follower.size]).toEqual([20, 1])
  standing.finalMs = 1010
  await round()
  expect(told).toHaveLength(1)
  standing.finalMs = 1011
  await round()
  expect(told.at(-1)).toEqual(['gone', 'lost', null])
  expect(follower.size).toBe(0)
})

it('blocks that are undone bring doubt on the sales in them, before anything is final', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  for (const spendId of ['kept', 'gone']) follower.add(sale(spendId, 100_000))
  stand('kept', false)
  standing.undoneMs = 90_000
  await round()
  standing.undoneMs = undefined
  await round()
  expect(told).toEqual([['gone', 'taken_back', null]])
  stand('gone', false, 'another tx')
  await round()
  expect(told.at(-1)).toEqual(['gone', 'settled_again', 'another tx'])
  // Its word came at 5001, and the line says nothing of that time before it is final.
  stand('gone', true, 'another tx')
  stand('kept', true)
  follower.add(sale('later', 200_000))
  standing.finalMs = 150_000
  await round()
  expect([follower.line('final'), follower.size]).toEqual([150_000, 1])
})

it('hundreds that were taken back, and stand elsewhere, cost a few questions', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  standing.mostAtOnce = 1000
  for (let i = 0; i < 300; i++) follower.add(sale(`sale ${i}`, 100_000))
  standing.undoneMs = 90_000
  await round()
  standing.undoneMs = undefined
  for (let i = 0; i < 300; i++) stand(`sale ${i}`, false, `another tx of ${i}`)
  const before = { ...standing.asked }
  await round()
  expect(told.filter(([, state]) => state === 'settled_again')).toHaveLength(300)
  expect(standing.asked.many - before.many).toBeLessThanOrEqual(2)
  expect(standing.asked.one).toBe(before.one)
})

// A node of Solana tells of 256 at once.
it.each([
  [5000, 10],
  [256, 17],
])(
  'two thousand that stand nowhere, asked about %i at once, are told within %i rounds',
  async (most, rounds) => {
    const { standing, follower, told, sale, round } = following()
    standing.mostAtOnce = most
    for (let i = 0; i < 2000; i++) follower.add(sale(`sale ${i}`, 100_000))
    standing.undoneMs = 90_000
    for (let i = 0; i < rounds; i++) {
      await round()
      standing.undoneMs = undefined
      // Each is looked at once in a round, and twice before it is told.
      if (i === 0) expect(told).toEqual([])
    }
    expect(told.filter(([, state]) => state === 'taken_back')).toHaveLength(2000)
    expect(follower.size).toBe(2000)
  },
)

it('a payment that stands in another transaction than its receipt says is told', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  follower.add(sale('moved', 10))
  stand('moved', true, 'another tx')
  standing.finalMs = 20
  await round()
  expect(told).toEqual([['moved', 'settled_again', 'another tx']])
  expect(follower.size).toBe(0)
})

it('a sale that a node cannot be asked about keeps no other waiting', async () => {
  const { standing, follower, errors, told, sale, round } = following()
  follower.add(sale('unreadable', 10))
  follower.add(sale('gone', 11))
  standing.fails.add('unreadable')
  standing.finalMs = 20
  await round()
  await round()
  expect(told).toEqual([['gone', 'taken_back', null]])
  expect(errors.length).toBeGreaterThan(0)
})

it('a start goes on with what was told before', async () => {
  const { standing, follower, told, sale, stand, round } = following()
  follower.add(sale('gone', 10), { state: 'taken_back', atMs: 12, standingTx: null })
  follower.add(sale('lost', 11), { state: 'lost', atMs: 13, standingTx: null })
  follower.add(sale('again', 12), { state: 'settled_again', atMs: 14, standingTx: 'another tx' })
  stand('again', true, 'another tx')
  standing.finalMs = 20
  await round()
  expect(told).toEqual([])
  expect(follower.line('final')).toBe(20)
  stand('gone', true)
  await round()
  expect(told).toEqual([['gone', 'settled_again', 'tx of gone']])
})

it('a sale that reaches the log half a minute late is not called final before its chain was asked', async () => {
  const topics = [settlements, finality, takenBack].map(({ topic }) => topic)
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, { topics })
  const at = { now: Date.parse('2026-11-28T10:00:00Z') }
  const standing = new PlayStanding()
  let looks = 0
  standing.look = async () => {
    looks++
    // As far behind as on Solana.
    return { finalMs: at.now - 13_000, safeMs: at.now - 13_000, undoneMs: undefined }
  }
  standing.standing = async sales => new Set(sales)
  const following = await followFinality({
    ...{ log, now: () => at.now, everyMs: 5, chains: [{ network: 'solana', standing }] },
    onFailed: (_, error) => expect.fail(String(error)),
  })
  const sell = (spend: string, atMs: number) =>
    log.append(settlements.topic, [
      entryOf(settlement(spend, { network: 'solana', state: 'settled', at: instant(atMs) })),
    ])
  const line = async () => Date.parse((await newestNow(log, finality)).get('solana')?.through ?? '')
  const sold = at.now + 10_000
  at.now += 40_000
  await sell('in time', at.now)
  const seen = looks
  await until(() => looks > seen + 3, 'looks at the chain')
  // A sale of half a minute ago may still be on its way into the log.
  expect(await line()).toBeLessThan(sold)
  at.now = sold + 61_000
  await until(async () => (await line()) >= sold, 'the line passes it')
  await following.close()
  await log.close()
})
