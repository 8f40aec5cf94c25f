import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { toParts } from '../../../../../pipelines/domains/market/release.ts'
import { type MarketProbe, marketProbes } from '../../../../../schemas/market-probes.ts'
import type { MarketOffer } from '../../../../../schemas/market-views.ts'
import { marketReleases } from '../../../../../schemas/market-weeks.ts'
import { marketBest } from '../../../../../services/origins/data/market/market-best.ts'
import { marketDataset } from '../../../../../services/origins/data/market/market-dataset.ts'
import { marketSeller } from '../../../../../services/origins/data/market/market-seller.ts'
import { ask, askText, stock } from '../../ask.ts'
import { builtAt, exampleOffers, offer, onSale, releaseOf } from './a-market.ts'

const probed = (url: string, more: Partial<MarketProbe> = {}): MarketProbe => ({
  url,
  host: new URL(url).hostname,
  checked_at: '2026-11-16T06:30:00.000Z',
  alive: true,
  status: 402,
  price_usd: '0.01',
  price_matches: true,
  pay_to_matches: true,
  latency_ms: 182,
  reason: null,
  ...more,
})
const offers = [
  offer('api.weather.dev', '/now', { calls: '900', payers: '60' }),
  offer('api.weather.dev', '/week', { calls: '10', payers: '4', price_usd: '0.5' }),
  offer('skies.dev', '/forecast', { calls: '90', payers: '40' }),
  offer('rain.dev', '/forecast', { calls: '5000', payers: '2' }),
  offer('farebox.dev', '/weather', { calls: '12', payers: '3' }),
  offer('maps.dev', '/geocode', {
    description: 'Coordinates of a street address',
    calls: '300',
    payers: '30',
  }),
  offer('asleep.dev', '/forecast', { calls: '0', payers: '0' }),
]
const release = releaseOf(offers, { known: [...new Set(offers.map(({ host }) => host)), 'gone.dev'] })
const asking = onSale(release)
const seller = (host: string) => ask(marketSeller, { host }, asking)
const best = (task: string, more: object = {}) => ask(marketBest, { task, ...more }, asking)
const refused = async (asked: Promise<unknown>) => {
  const { code, status, message } = await asked.then(
    () => ({ code: 'answered', status: 200, message: '' }),
    error => error,
  )
  return { code, status, message }
}

describe('the example of each operation', () => {
  const example = onSale(releaseOf(exampleOffers))
  stock(example.shelf, marketProbes, [
    probed('https://x402.twit.sh/users/search', { checked_at: '2026-11-16T07:12:00.000Z' }),
  ])
  test.each([marketSeller, marketBest, marketDataset])('$path is a real answer', async operation => {
    const { request, response } = operation.example
    expect(await ask(operation as typeof marketDataset, request, example)).toEqual(response)
  })
})

describe('/market/seller', () => {
  test('shows rank, sums and endpoints', async () => {
    const told = await seller('api.weather.dev')
    expect(told).toMatchObject({
      host: 'api.weather.dev',
      week: '2026-W47',
      rank: 2,
      active_sellers: 5,
      est_revenue_30d_usd: 14,
      calls_30d: 910,
      paying_wallets_max: 60,
      paid_endpoints: 2,
      endpoint_count: 2,
      calls_per_wallet: 15.17,
      patterns: [],
      competitors_category: 'weather_environment',
    })
    expect(told.endpoints?.[0]).toEqual({
      url: 'https://api.weather.dev/now',
      price_usd: 0.01,
      calls_30d: 900,
      paying_wallets: 60,
      calls_per_wallet: 15,
    })
    expect(told.competitors?.map(({ host }) => host)).toEqual(['rain.dev', 'skies.dev', 'farebox.dev'])
  })

  test.each([
    'https://api.weather.dev/now?city=Oslo',
    'API.WEATHER.DEV.',
    'www.api.weather.dev',
    'weather.dev',
    'other.weather.dev',
    'http://api.weather.dev:8080',
  ])('finds it as %s', async typed => expect((await seller(typed)).host).toBe('api.weather.dev'))

  test('unknown_seller: a host that the catalog never listed', async () => {
    expect(await refused(seller('nobody.org'))).toMatchObject({ code: 'unknown_seller', status: 422 })
  })
  test('no_activity: a listed one that sold nothing, and one that is no longer listed', async () => {
    for (const host of ['asleep.dev', 'gone.dev'])
      expect(await refused(seller(host))).toMatchObject({ code: 'no_activity', status: 422 })
  })
  test('invalid_host: neither a hostname nor a URL', async () => {
    expect(await refused(seller('not a host'))).toMatchObject({ code: 'invalid_host', status: 400 })
  })
})

describe('/market/best', () => {
  test('ranks by wallets that come back, not by calls', async () => {
    const { results } = await best('weather forecast')
    expect(results.map(({ host }) => host)).toEqual([
      'api.weather.dev',
      'skies.dev',
      'farebox.dev',
      'rain.dev',
    ])
    expect(results.map(({ repeat_buyers }) => repeat_buyers)).toEqual([true, true, true, false])
    expect(results[3]?.caution).toMatch(
      /^5000 calls came from only 2 paying wallets, .* not proof of wrongdoing\.$/,
    )
  })
  test('marks its own and no other', async () => {
    const { results, disclosure } = await best('weather forecast')
    expect(results.filter(({ sold_by_tollkit }) => sold_by_tollkit).map(({ host }) => host)).toEqual([
      'farebox.dev',
    ])
    expect(disclosure).toContain('also sells tools')
  })
  test('marks a host of another name that is paid at an address of its own', async () => {
    const listed = [
      offer('tools.example', '/forecast'),
      offer('farebox.dev', '/fx', { description: 'Currency conversion' }),
      offer('other.example', '/forecast'),
    ]
    const { shelf, now } = onSale(releaseOf(listed, { operators: { 'tools.example': 'farebox.dev' } }))
    const { results } = await ask(marketBest, { task: 'weather forecast' }, { shelf, now })
    expect(Object.fromEntries(results.map(({ host, sold_by_tollkit }) => [host, sold_by_tollkit]))).toEqual({
      'tools.example': true,
      'other.example': false,
    })
  })
  describe('and its probes', () => {
    const listed = [
      offer('first.dev', '/forecast', { calls: '900', payers: '90' }),
      offer('first.dev', '/week', { calls: '100', payers: '9' }),
      offer('second.dev', '/forecast', { calls: '90', payers: '40' }),
    ]
    const bestWith = async (...probes: MarketProbe[]) => {
      const { shelf, now } = onSale(releaseOf(listed))
      stock(shelf, marketProbes, probes)
      const { results } = await ask(marketBest, { task: 'weather forecast' }, { shelf, now })
      return results
    }
    const dead = {
      alive: false,
      status: 503,
      price_matches: null,
      pay_to_matches: null,
      reason: 'it answers 503 in place of 402',
    }
    const failing = (path: string) => probed(`https://first.dev${path}`, dead)

    test('a dead endpoint gives way to another one of its seller, and two dead ones to all others', async () => {
      const urls = async (...probes: MarketProbe[]) => (await bestWith(...probes)).map(({ url }) => url)
      expect(await urls()).toEqual(['https://first.dev/forecast', 'https://second.dev/forecast'])
      expect(await urls(failing('/forecast'))).toEqual([
        'https://second.dev/forecast',
        'https://first.dev/week',
      ])
      expect(await urls(failing('/forecast'), failing('/week'))).toEqual([
        'https://second.dev/forecast',
        'https://first.dev/forecast',
      ])
      expect((await bestWith(failing('/forecast'), failing('/week'))).at(-1)).toMatchObject({
        alive: false,
        probe_note: 'it answers 503 in place of 402',
      })
    })
    test('an old probe says nothing, and an endpoint without a probe does not sink', async () => {
      const old = { ...failing('/forecast'), checked_at: '2026-11-16T03:59:59.000Z' }
      const unsure = probed('https://first.dev/forecast', {
        alive: null,
        reason: 'it answers 400 in place of 402',
      })
      expect((await bestWith(old))[0]).toMatchObject({ host: 'first.dev', alive: null, checked_at: null })
      expect((await bestWith(unsure))[0]).toMatchObject({ host: 'first.dev', alive: null, latency_ms: 182 })
    })
  })
  test('keeps to its limit', async () =>
    expect((await best('weather', { limit: 1 })).results).toHaveLength(1))
  test('forgives a typing mistake', async () =>
    expect((await best('wheather forcast')).results[0]?.host).toBe('api.weather.dev'))
  test('no_match: no listing is about the task', async () => {
    for (const task of ['underwater basket weaving', 'the api of a tool', 'qqqqq zzzzz vvvvv weather'])
      expect(await refused(best(task))).toMatchObject({ code: 'no_match', status: 422 })
  })
  test('a task has 3 to 200 characters', async () => {
    expect(await refused(best('ab'))).toMatchObject({ status: 400 })
    expect(await refused(best('a'.repeat(201)))).toMatchObject({ status: 400 })
  })
  test.each([
    ['a placeholder in its URL', { placeholder: true }],
    ['no call', { calls: '0' }],
    ['a price that cannot be read', { price_usd: null }],
    ['a description that says it is a test', { description: 'Test weather endpoint' }],
  ])('leaves out what has %s', async (_why, wrong: Partial<MarketOffer>) => {
    const more = releaseOf([...offers, offer('odd.dev', '/weather/forecast', { payers: '900', ...wrong })])
    const { results } = await ask(marketBest, { task: 'weather forecast' }, onSale(more))
    expect(results.map(({ host }) => host)).not.toContain('odd.dev')
  })
})

describe('the order does not depend on the owner of a listing', () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    offer(`seller${at}.dev`, `/weather/${at % 7}`, {
      payers: String(1 + ((at * 37) % 23)),
      calls: String(1 + ((at * 61) % 400)),
      description: `Weather forecast number ${at}`,
      price_usd: `0.0${1 + (at % 9)}`,
    }),
  )
  const orderOf = async (
    listed: MarketOffer[],
    { name = (host: string) => host, ownHosts = ['farebox.dev'] } = {},
  ) => {
    const { shelf, now } = onSale(releaseOf(listed.map(row => renamed(row, name))))
    const { results } = await ask(
      marketBest,
      { task: 'weather forecast', limit: 20 },
      { shelf, now, ownHosts },
    )
    return results.map(({ description }) => description)
  }
  const renamed = (row: MarketOffer, name: (host: string) => string): MarketOffer => {
    const host = name(row.host)
    return {
      ...row,
      host,
      resource_key: row.resource_key.replace(row.host, host),
      url: row.url.replace(row.host, host),
    }
  }

  test('every host renamed: the same order', async () => {
    const names = new Map(
      many.map(({ host }, at) => [host, `${'zyx'[at % 3]}${(at * 7919) % 1000}-${at}.org`]),
    )
    expect(await orderOf(many, { name: host => names.get(host) as string })).toEqual(await orderOf(many))
  })
  test('each of them as the operator: the same order', async () => {
    const usual = await orderOf(many)
    for (const { host } of many.slice(0, 10)) expect(await orderOf(many, { ownHosts: [host] })).toEqual(usual)
  })
  test('twice the calls for all who have repeat buyers anyway: the same order', async () => {
    const steady = many.map(row => ({ ...row, calls: String(2 * Number(row.payers)) }))
    const busier = steady.map((row, at) => ({ ...row, calls: String((2 + (at % 5)) * Number(row.payers)) }))
    expect(await orderOf(busier)).toEqual(await orderOf(steady))
  })
  test('more wallets never lower a listing', async () => {
    const steady = many.map(row => ({ ...row, calls: String(3 * Number(row.payers)) }))
    const usual = await orderOf(steady)
    const last = usual.at(-1) as string
    const more = steady.map(row =>
      row.description === last
        ? { ...row, payers: String(5 * Number(row.payers)), calls: String(15 * Number(row.payers)) }
        : row,
    )
    expect((await orderOf(more)).indexOf(last)).toBeLessThan(usual.indexOf(last))
  })
  test('one result of each operator', async () => {
    const operators = Object.fromEntries(many.map(({ host }, at) => [host, `seller${at % 5}.dev`]))
    const { results } = await ask(
      marketBest,
      { task: 'weather forecast' },
      onSale(releaseOf(many, { operators })),
    )
    expect(results).toHaveLength(5)
  })
})

describe('/market/dataset', () => {
  test('tells every active seller in an order that can be computed again from what is shown', async () => {
    const { week, generated_at, sellers, categories } = await ask(marketDataset, {}, asking)
    expect({ week, generated_at }).toEqual({ week: '2026-W47', generated_at: builtAt })
    expect(sellers.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5])
    const again = sellers.toSorted(
      (a, b) =>
        b.est_revenue_usd - a.est_revenue_usd ||
        b.paying_wallets_max - a.paying_wallets_max ||
        b.calls - a.calls ||
        (a.host < b.host ? -1 : 1),
    )
    expect(sellers).toEqual(again)
    expect(categories.reduce((sum, { calls }) => sum + calls, 0)).toBe(
      sellers.reduce((sum, { calls }) => sum + calls, 0),
    )
  })
  test('is serialised once for a release', async () => {
    const { shelf, now } = onSale(release)
    const tools = {
      view: shelf.view.bind(shelf),
      now,
      credit: (_name: string, text: string) => text,
    } as never
    const twice = [0, 1].map(() => marketDataset.answer({}, tools, undefined as never))
    expect(twice[0]).toBe(twice[1])
  })
})

describe('a release', () => {
  const parts = (text: object, at: string) => toParts(JSON.stringify(text), { week: '2026-W47', builtAt: at })
  test('not_ready: before the first one is whole, free', async () => {
    for (const [operation, body] of [
      [marketSeller, { host: 'skies.dev' }],
      [marketBest, { task: 'weather' }],
      [marketDataset, {}],
    ] as const)
      expect(
        await refused(askText(operation as typeof marketDataset, body, onSale(undefined))),
      ).toMatchObject({
        code: 'not_ready',
        status: 503,
      })
  })
  test('the earlier one is sold until the last part of the next has arrived', async () => {
    const { shelf, now } = onSale(release)
    const next = { ...release, week: '2026-W48' }
    const [only] = parts(next, '2026-11-23T07:00:00.000Z')
    if (!only) throw new Error('no part')
    const half = only.body.length / 2
    const halves = [0, 1].map(part => ({
      ...only,
      part,
      parts: 2,
      body: only.body.slice(part * half, (part + 1) * half),
    }))
    stock(shelf, marketReleases, [halves[1] as (typeof halves)[number]])
    expect((await ask(marketDataset, {}, { shelf, now })).week).toBe('2026-W47')
    stock(shelf, marketReleases, [halves[0] as (typeof halves)[number]])
    expect((await ask(marketDataset, {}, { shelf, now })).week).toBe('2026-W48')
  })
  test('of 2,100 sellers fits into records of the log, and its dataset into one promise', () => {
    const listed = Array.from({ length: 2100 }, (_, at) =>
      Array.from({ length: 10 }, (_, path) =>
        offer(`seller${at}.dev`, `/${path}`, { description: `${at * 7919} ${path * 104_729} `.repeat(12) }),
      ),
    ).flat()
    const made = releaseOf(listed)
    for (const part of parts(made, builtAt)) expect(JSON.stringify(part).length).toBeLessThan(1_000_000)
    const { shelf, now } = onSale(made)
    const answer = marketDataset.answer(
      {},
      { view: shelf.view.bind(shelf), now, credit: (_name: string, text: string) => text } as never,
      undefined as never,
    )
    expect(gzipSync((answer as { json: string }).json).length).toBeLessThan(600_000)
  })
})
