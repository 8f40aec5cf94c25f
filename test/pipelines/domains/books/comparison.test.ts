/** The books of one day, where the store answers as the test says. */
import { expect, it } from 'vitest'
import { compareDay } from '../../../../pipelines/domains/books/comparison.ts'
import type { Pair } from '../../../../pipelines/domains/books/differences.ts'
import type { AskStore } from '../../../../pipelines/domains/books/facts.ts'

const dayMs = Date.parse('2026-11-03T00:00:00.000Z')
const wanted = {
  ...({ network: 'base', payTo: `0x${'2'.repeat(40)}`, day: '2026-11-03' } as const),
  ...{ sinceMs: dayMs, readSinceMs: dayMs, throughMs: dayMs + 2 * 86_400_000, lost: [] },
  ...{ nowMs: dayMs + 3 * 86_400_000, graceMs: 3_600_000 },
}

/** An hour after the books began: what has one side alone in their first minutes differs not. */
const stray = (nth: number): Pair => ({
  ...{ tx: `0x${String(nth).padStart(64, '0')}`, payer: `0x${'3'.repeat(40)}`, usdc: '0.001' },
  ...{ sales: 0, transfers: 1, moved_ms: dayMs + 3_600_000, sold_ms: 0, request: '', form: 'transfer' },
  ...{ canaries: 0, is_doubtful: 0 },
})

/** A store with so many transfers that no sale explains, which bounds its answer as it is told to. */
function storeWith(transfers: number): AskStore {
  const all = Array.from({ length: transfers }, (_, nth) => stray(nth))
  return async <Row>(sql: string) => {
    const most = /limit (\d+)$/.exec(sql.trim())?.[1]
    const wanted = most ? all.slice(0, Number(most)) : all.filter(({ tx }) => sql.includes(tx))
    const rows = sql.includes('toFloat64(moved_ms)') ? wanted : [zero]
    return (sql.includes('refund') && !sql.includes('moved_ms') ? [] : rows) as Row[]
  }
}

const zero = {
  ...{ count: '0', usdc: '0', canary: '0', canary_usdc: '0' },
  ...{ sold: '0', lowest: '0', small: [[], []] },
}

it('name each of 5,000 transfers that no sale explains, and sum them to the atom', async () => {
  const { sums, differences } = await compareDay(storeWith(5000), wanted)
  expect(sums).toMatchObject({ transfers: 5000, received_usdc: '5', sales: 0, differences: 5000 })
  expect(new Set(differences.map(({ tx }) => tx)).size).toBe(5000)
})

it('are not judged with more, and say which day', async () => {
  await expect(compareDay(storeWith(5001), wanted)).rejects.toThrow(
    'more than 5000 payments of 2026-11-03 to 0x2222222222222222222222222222222222222222 on base have one side alone',
  )
})
