import { describe, expect, test } from 'vitest'
import { type MarketSeller, marketWeeks } from '../../../../../schemas/market-weeks.ts'
import { marketHistory } from '../../../../../services/origins/data/market/market-history.ts'
import { Shelf } from '../../../../../services/query/shelf.ts'
import { ask } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')
const week = (week: string, changed: Partial<MarketSeller> = {}): MarketSeller => ({
  week,
  release: '0'.repeat(64),
  host: 'x402.twit.sh',
  operator: 'x402.twit.sh',
  rank: 1,
  est_revenue_usd: '52.100000',
  calls: 5210,
  paying_wallets_max: 142,
  endpoints: 1,
  paid_endpoints: 1,
  repeat_buyers: true,
  basis: 'catalog',
  categories: ['social_media'],
  competitors_category: 'social_media',
  patterns: [],
  chain_payments: null,
  chain_paid_usd: null,
  chain_wash_usd: null,
  chain_payers: null,
  returning_payers: null,
  rule_version: 'v2',
  ...changed,
})
const over = (...weeks: MarketSeller[]) => ({
  shelf: new Shelf(now),
  now,
  looked: new Loaded().put(marketWeeks, weeks),
})
const label = { code: 'dormant', witness: 'catalog', severity: 'info', evidence: '{}' } as const

describe('/market/history', () => {
  test('is the example', async () => {
    const { request, response } = marketHistory.example
    expect(await ask(marketHistory, request, over(week('2026-W47')))).toEqual(response)
  })

  test('lists the weeks of this seller only, newest first, as many as requested', async () => {
    const asking = over(
      week('2026-W46', { rank: 3, calls: 10, paying_wallets_max: 0, patterns: [label] }),
      week('2026-W47'),
      week('2025-W52', { rank: 9 }),
      week('2026-W47', { host: 'other.dev' }),
    )
    const { host, weeks, count } = await ask(
      marketHistory,
      { host: 'https://www.X402.twit.sh/users' },
      asking,
    )
    expect([host, count]).toEqual(['x402.twit.sh', 3])
    expect(weeks.map(({ week, rank }) => [week, rank])).toEqual([
      ['2026-W47', 1],
      ['2026-W46', 3],
      ['2025-W52', 9],
    ])
    expect(weeks[1]).toMatchObject({ patterns: ['dormant'], calls_per_wallet: null })
    expect((await ask(marketHistory, { host, weeks: 2 }, asking)).weeks).toHaveLength(2)
  })

  test('invalid_host: no hostname', async () => {
    expect(await refusal(marketHistory, { host: '???' }, over())).toMatchObject({
      status: 400,
      error: 'invalid_host',
    })
  })
  test('unknown_seller: never ranked', async () => {
    expect(await refusal(marketHistory, { host: 'nobody.dev' }, over(week('2026-W47')))).toMatchObject({
      status: 422,
      error: 'unknown_seller',
    })
  })
})
