import { describe, expect, test } from 'vitest'
import { networks } from '../../../../schemas/tables/networks.ts'
import { find } from '../../../../services/origins/watch/find.ts'
import { ask } from '../ask.ts'
import { offer, onSale, releaseOf } from '../data/market/a-market.ts'
import { refusal } from '../refusal.ts'

const asking = onSale(
  releaseOf([
    offer('few.dev', '/forecast', {
      payers: '1',
      calls: '1',
      description: 'Weather forecast, forecast by the hour',
    }),
    offer('many.dev', '/forecast', {
      payers: '900',
      calls: '90000',
      description: 'Forecast and many other things of a city',
    }),
    offer('dear.dev', '/forecast', {
      price_usd: '2.000000000000000000',
      networks: [networks.solana.caip2],
      description: 'Weather forecast for sailors',
    }),
  ]),
)
const hostsOf = async (question: object) =>
  (await ask(find, { q: 'weather forecast', ...question }, asking)).results.map(({ host }) => host)

describe('a search', () => {
  test('ranks by the words alone, and shows neither wallets nor calls', async () => {
    expect((await hostsOf({}))[0]).toBe('few.dev')
    const { results, week } = await ask(find, { q: 'weather forecast', limit: '1' }, asking)
    expect(week).toBe('2026-W47')
    expect(results).toEqual([
      {
        url: 'https://few.dev/forecast',
        host: 'few.dev',
        description: 'Weather forecast, forecast by the hour',
        price_usd: 0.01,
        networks: [networks.base.caip2],
        last_seen: '2026-11-16T06:00:00.000Z',
      },
    ])
  })

  test('filters by network, by its name or its id, and by price', async () => {
    expect(await hostsOf({ network: 'solana' })).toEqual(['dear.dev'])
    expect(await hostsOf({ network: networks.solana.caip2 })).toEqual(['dear.dev'])
    expect(await hostsOf({ max_price_usd: '0.5' })).not.toContain('dear.dev')
  })

  test('is refused if nothing fits: no_match', async () => {
    for (const question of [{ q: 'submarines' }, { q: 'weather forecast', network: 'polygon' }])
      expect(await refusal(find, question, asking)).toMatchObject({ error: 'no_match', status: 422 })
  })
})
