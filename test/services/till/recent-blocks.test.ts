/** The block that a quote names is new, or there is none. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { openRecentBlocks } from '../../../services/till/recent-blocks.ts'
import type { Scheme } from '../../../services/till/schemes/scheme.ts'
import { until } from '../../until.ts'

const { caip2 } = networks.solana

function opened(recentBlockhash: () => Promise<string>) {
  const clock = { ms: 0 }
  const schemes = new Map<string, Scheme>([
    [caip2, { recentBlockhash } as Scheme],
    [networks.base.caip2, {} as Scheme],
  ])
  const blocks = openRecentBlocks({ networks: [caip2, networks.base.caip2], schemes, uptime: () => clock.ms })
  onTestFinished(() => blocks.stop())
  return { blocks, clock }
}

it('a block that nobody renews is named for 25 seconds', async () => {
  let calls = 0
  const { blocks, clock } = opened(async () => {
    if (calls++) throw new Error('silent')
    return 'first'
  })
  expect(blocks.of(caip2)).toBeUndefined()
  await until(() => blocks.of(caip2) === 'first', 'the first block')
  expect(blocks.of(networks.base.caip2)).toBeUndefined()
  clock.ms = 24_999
  expect(blocks.of(caip2)).toBe('first')
  clock.ms = 25_000
  expect(blocks.of(caip2)).toBeUndefined()
})

it('a node that takes long is asked once at a time, and its answer is as old as the question', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked: ((hash: string) => void)[] = []
  const { blocks, clock } = opened(() => new Promise(resolve => asked.push(resolve)))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(asked).toHaveLength(1)
  clock.ms = 30_000
  asked[0]?.('old')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(blocks.of(caip2)).toBeUndefined()
  expect(asked).toHaveLength(2)
  asked[1]?.('new')
  await vi.advanceTimersByTimeAsync(0)
  expect(blocks.of(caip2)).toBe('new')
})
