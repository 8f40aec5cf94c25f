/** How far a chain was read, and what of it nobody can read any more. */
import { expect, it } from 'vitest'
import { coverageOf, isLost, readThrough } from '../../../../pipelines/domains/books/coverage.ts'
import { summed } from '../../../../pipelines/domains/books/differences.ts'
import type { AskStore } from '../../../../pipelines/domains/books/facts.ts'

const at = Date.parse('2026-11-29T01:00:00.000Z')
const minuteMs = 60_000

/** Ranges by their blocks and the minutes of their ends, as the store gives them: by their beginning. */
const store = (ranges: readonly (readonly [from: number, to: number, since: number, until: number])[]) =>
  (async () =>
    ranges
      .toSorted((one, other) => one[2] - other[2])
      .map(([from_block, to_block, since, until]) => ({
        ...{ from_block: String(from_block), to_block: String(to_block) },
        ...{ from_ms: String(at + since * minuteMs), to_ms: String(at + until * minuteMs) },
      }))) as unknown as AskStore

it('is whole where each range begins at the next block, and nothing of it is lost', async () => {
  const { stretches, lost } = await coverageOf(
    store([
      [100, 199, 0, 10],
      [200, 299, 10, 20],
      [150, 260, 5, 16],
    ]),
    'base',
    at,
  )
  expect(readThrough(stretches, at)).toBe(at + 20 * minuteMs)
  expect(lost).toEqual([])
})

it.each(['base', 'solana'] as const)(
  'a chain on %s that begins anew has lost its last blocks',
  async network => {
    // As Solana is read: each range reaches back into the time before.
    const first = network === 'base' ? 0 : 90
    const { stretches, lost } = await coverageOf(
      store([
        [first, 130, -600, 1],
        [100, 190, -59, 2],
        [160, 250, -58, 3],
        [first, 120, -590, 6],
        [100, 180, -54, 7],
      ]),
      network,
      at,
    )
    expect(lost).toEqual([{ fromMs: at + 3 * minuteMs, toMs: at + 6 * minuteMs }])
    expect(readThrough(stretches, at)).toBe(at + 7 * minuteMs)
    // Its own clock may be ahead by ten minutes; afterwards everything is read again.
    expect([-8, 4, 6.5].map(minute => isLost(lost, at + minute * minuteMs))).toEqual([false, true, false])
  },
)

it('a gap of a real chain that is read hours later is no new chain', async () => {
  // The time of a slot is an estimate: this head is lower, and told as later.
  const ranges = store([
    [380_000_000, 380_090_000, -600, 1],
    [380_000_000, 380_080_000, -590, 2],
  ])
  expect((await coverageOf(ranges, 'solana', at)).lost).toEqual([])
})

it('one side of a payment whose other side may be lost is neither a difference nor a sum; both sides count', () => {
  const lost = [{ fromMs: at + 30 * minuteMs, toMs: at + 33 * minuteMs }]
  const pair = (sales: number, transfers: number, minute: number) => ({
    ...{
      tx: `0x${minute}`,
      payer: '0xa',
      usdc: '0.002',
      sales,
      transfers,
      request: '',
      form: '',
      canaries: 0,
    },
    ...{ sold_ms: at + minute * minuteMs, moved_ms: at + minute * minuteMs, is_doubtful: 0 },
  })
  const wanted = {
    ...({ network: 'base', payTo: '0xb', day: '2026-11-29', lost } as const),
    ...{ sinceMs: at - 60 * minuteMs, throughMs: at + 600 * minuteMs, nowMs: at + 600 * minuteMs },
    ...{ graceMs: 60 * minuteMs, readSinceMs: at - 60 * minuteMs },
  }
  const even = { count: '0', usdc: '0', canary: '0', canary_usdc: '0' }
  const others = {
    reversed: { count: 0, usdc: '0' },
    refunds: { count: 0, usdc: '0', waiting: 0, differences: [] },
    dust: { below: '0.001', count: 0, usdc: '0' },
  }
  const uneven = [pair(1, 0, 31), pair(0, 1, 32), pair(1, 1, 32.5), pair(1, 0, 34), pair(0, 1, 10)]
  const { sums, differences } = summed(wanted, even, { ...others, uneven })
  expect(differences.map(({ kind, tx }) => [kind, tx])).toEqual([
    ['no_sale', '0x10'],
    ['no_transfer', '0x34'],
  ])
  expect([sums.sales, sums.transfers]).toEqual([2, 2])
})
