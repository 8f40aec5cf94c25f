import { expect, it } from 'vitest'
import type { ChainReader, Transaction } from '../../../../pipelines/domains/chain/reader.ts'
import { sharing } from '../../../../pipelines/domains/chain/sharing.ts'
import { chains } from '../../../../schemas/tables/chains.ts'
import { instant } from '../../../../schemas/values/values.ts'

/** A reader that counts its questions. Its answers have only the fields that decide how long an answer is valid. */
function counted(answer: Partial<Transaction> & { refused?: string } = {}) {
  let now = 1_000_000
  let reads = 0
  const read = async () => {
    reads++
    return { fetched_at: instant(now), ...answer } as never
  }
  const names = ['balance', 'token', 'tx', 'price', 'check', 'portfolio', 'pretrade'] as const
  const reader = {
    chain: 'base',
    ...Object.fromEntries(names.map(name => [name, read])),
  } as unknown as ChainReader
  const shared = sharing(reader, () => now)
  const holdsFor = async (name: (typeof names)[number]) => {
    const ask = () => shared[name]('asked' as never)
    const before = reads
    await ask()
    let ms = 0
    for (const step of [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 10 ** 9])
      for (let i = 0; i < 9; i++) {
        now += step
        ms += step
        await ask()
        if (reads > before + 1) return ms
      }
    return Number.POSITIVE_INFINITY
  }
  return { holdsFor }
}

const { blockMs } = chains.base
const aboutOf = (ms: number) => [ms, ms * 2] as const

it.each([
  ['balance', blockMs],
  ['portfolio', blockMs],
  ['pretrade', blockMs],
  ['price', 10_000],
  ['check', 10_000],
  ['token', 3_600_000],
] as const)('%s is kept until another answer is likely', async (name, ms) => {
  const [least, most] = aboutOf(ms)
  const held = await counted().holdsFor(name)
  expect(held).toBeGreaterThanOrEqual(least)
  expect(held).toBeLessThanOrEqual(most)
})

it('a transaction is kept for ever once it is final, until the next block before that, and not at all while pending', async () => {
  expect(await counted({ finalized: true, status: 'success' }).holdsFor('tx')).toBe(Number.POSITIVE_INFINITY)
  expect(await counted({ finalized: false, status: 'success' }).holdsFor('tx')).toBeLessThanOrEqual(
    2 * blockMs,
  )
  expect(await counted({ finalized: false, status: 'pending' }).holdsFor('tx')).toBe(1)
})

it('a refusal is kept for at most a block', async () => {
  expect(await counted({ refused: 'no_pool' }).holdsFor('price')).toBeLessThanOrEqual(2 * blockMs)
  expect(await counted({ refused: 'unknown_transaction' }).holdsFor('tx')).toBe(1)
})
