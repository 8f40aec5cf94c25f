import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { catalog } from '../../../pipelines/sources/catalog.ts'
import type { MarketResource } from '../../../schemas/market-resources.ts'
import { testRecorded } from '../../samples.ts'
import { manyItems, poll, recordedItems, startCatalog } from './catalog-upstream.ts'

const monday = Date.parse('2026-11-16T00:11:00Z')
const hourMs = 3_600_000

async function recorded() {
  const upstream = await startCatalog(recordedItems)
  const { resources, snapshots } = await poll(upstream.outside(monday))
  const find = (part: string) => resources.find(({ url }) => url.includes(part)) as MarketResource
  return { resources, snapshots, find }
}

describe('a row', () => {
  test('of version 2 keeps its content, with addresses and amounts in one form', async () => {
    const { find } = await recorded()
    expect(find('harbour')).toEqual({
      snapshot: '2026-11-16T00:11:00.000Z',
      day: '2026-11-16',
      source: 'cdp',
      url: 'https://api.harbour-tides.com/v1/tides',
      tool: '',
      method: 'GET',
      resource_key: 'api.harbour-tides.com/v1/tides|GET',
      host: 'api.harbour-tides.com',
      seller: 'api.harbour-tides.com',
      type: 'http',
      x402_version: 2,
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          amount: '7000',
          decimals: 6,
          price_usd: '0.007',
          pay_to: '0x1111111111111111111111111111111111111aaa',
          fee_payer: '',
        },
        {
          scheme: 'exact',
          network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
          asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
          amount: '5000',
          decimals: 6,
          price_usd: '0.005',
          pay_to: '7Zq1Yb1PzXhU3p5W9mVbqJw2d8oKfQnS4rTeLcAvGx3H',
          fee_payer: 'BENrLoUbndxoNMUS5JXApGMtNykLjFXXixMtpDwDR9SP',
        },
      ],
      price_usd: '0.005',
      price_is_max: false,
      service_name: 'Harbour Tides',
      description: 'Tide times and heights for a harbour and a day.',
      tags: ['weather', 'Sea'],
      parameters: ['harbour', 'day'],
      route_template: null,
      placeholder: false,
      curated: true,
      calls_30d: 1250,
      payers_30d: 38,
      last_called_at: '2026-11-16T08:20:00.000Z',
      updated_at: '2026-11-16T08:25:00.000Z',
      junk: null,
    })
  })

  test('of version 1 comes from its first offer', async () => {
    const { find } = await recorded()
    expect(find('/search')).toMatchObject({
      x402_version: 1,
      method: 'POST',
      description: 'Search a shop.',
      parameters: ['query', 'limit'],
      price_usd: '0.01',
      accepts: [{ network: 'eip155:8453', amount: '10000' }],
      calls_30d: null,
      updated_at: '2026-11-16T08:00:00.000Z',
    })
  })

  test('of an MCP server is one of its tools', async () => {
    const { resources } = await recorded()
    const tools = resources.filter(({ type }) => type === 'mcp')
    expect(tools.map(({ tool, resource_key, price_usd }) => [tool, resource_key, price_usd])).toEqual([
      ['summarise', 'mcp.tool-bench.dev/mcp#summarise', '0.002'],
      ['translate', 'mcp.tool-bench.dev/mcp#translate', '0.003'],
    ])
    expect(tools.map(({ parameters }) => parameters)).toEqual([
      ['text', 'length'],
      ['text', 'to'],
    ])
  })

  test('whose path holds a placeholder is marked; a template replaces the called path', async () => {
    const { find } = await recorded()
    expect(find(':var1')).toMatchObject({
      placeholder: true,
      resource_key: 'quotes.ticker-tape.xyz/price/:var|GET',
    })
    expect(find('history')).toMatchObject({
      placeholder: false,
      resource_key: 'quotes.ticker-tape.xyz/history/:symbol|GET',
      price_usd: '0.25',
      price_is_max: true,
    })
  })

  test('is kept and marked if nobody can reach or pay it', async () => {
    const { resources } = await recorded()
    const junk = resources.filter(row => row.junk !== null).map(({ host, junk }) => [host, junk])
    expect(junk).toEqual([
      ['localhost', 'reserved_host'],
      ['10.20.30.40', 'private_host'],
      ['brave-otter.ngrok-free.dev', 'tunnel'],
      ['rehearsal.paid-api.dev', 'testnet_only'],
      ['nothing-to-pay.dev', 'nothing_accepted'],
      ['', 'not_http'],
    ])
  })

  test('has a price by the decimals of its coin, exactly, and no guessed price', async () => {
    const { find } = await recorded()
    expect(find('/one').price_usd).toBe('0.010000000000000001')
    expect(find('/dollars-by-mistake')).toMatchObject({ price_usd: null, accepts: [{ amount: '0.01' }] })
    expect(find('/soft-lock').price_usd).toBe('10000000000')
    expect(find('/own-token')).toMatchObject({ price_usd: null, accepts: [{ decimals: null }] })
    expect(find('localhost')).toMatchObject({ price_usd: null, accepts: [{ decimals: null }] })
  })

  test('has one address in any spelling', async () => {
    const { find } = await recorded()
    expect(find('isbn')).toMatchObject({
      url: 'https://www.bücher-ei.de:8443//v1/./books/?isbn=1',
      host: 'www.xn--bcher-ei-65a.de',
      seller: 'xn--bcher-ei-65a.de',
      resource_key: 'www.xn--bcher-ei-65a.de:8443/v1/books',
      updated_at: '2026-11-16T08:00:00.123Z',
    })
  })
})

describe('a pass', () => {
  test('reads every page at multiples of the limit, and counts only at the end', async () => {
    const upstream = await startCatalog(manyItems(2345))
    const { resources, snapshots, cursor } = await poll(upstream.outside(monday))
    expect(upstream.offsets()).toEqual([0, 1000, 2000])
    expect(new Set(resources.map(({ url }) => url)).size).toBe(2345)
    expect(snapshots).toMatchObject([
      {
        snapshot: '2026-11-16T00:11:00.000Z',
        total_first: 2345,
        total_last: 2345,
        items: 2345,
        rated: 2345,
        unread: 0,
      },
    ])
    expect(cursor).toEqual({ whole: '2026-11-16T00:11:00.000Z' })
  })

  test('counts items without a resource, and has the same hash for the same catalog', async () => {
    const upstream = await startCatalog(recordedItems)
    const [a, b] = [await poll(upstream.outside(monday)), await poll(upstream.outside(monday + hourMs))]
    expect(a.snapshots[0]).toMatchObject({ items: 18, rated: 3, unread: 1 })
    expect(a.snapshots[0]?.pages_sha256).toBe(b.snapshots[0]?.pages_sha256)
    upstream.state.items = recordedItems.slice(1)
    const c = await poll(upstream.outside(monday))
    expect(c.snapshots[0]?.pages_sha256).not.toBe(a.snapshots[0]?.pages_sha256)
  })

  test('follows a catalog that gives smaller pages than requested', async () => {
    const upstream = await startCatalog(manyItems(250))
    upstream.state.clamp = 100
    const { resources, snapshots } = await poll(upstream.outside(monday))
    expect(upstream.offsets()).toEqual([0, 100, 200])
    expect(resources).toHaveLength(250)
    expect(snapshots).toHaveLength(1)
  })

  test('continues at the same place, if that is not long ago', async () => {
    const upstream = await startCatalog(manyItems(2345))
    const outside = upstream.outside(monday)
    upstream.state.beforePage = offset => {
      upstream.state.fail = offset === 2000 ? 429 : undefined
    }
    const left = await poll(outside)
    expect(left.failure).toBeInstanceOf(UpstreamFailed)
    expect(left.snapshots).toEqual([])
    expect(left.resources).toHaveLength(2000)

    upstream.state.beforePage = () => {
      upstream.state.fail = undefined
    }
    upstream.offsets()
    const soon = await poll(upstream.outside(monday + 60_000), left.cursor)
    expect(upstream.offsets()).toEqual([2000])
    expect(soon.snapshots).toMatchObject([{ snapshot: '2026-11-16T00:11:00.000Z', items: 2345 }])
    expect(new Set(soon.resources.map(({ snapshot }) => snapshot))).toEqual(
      new Set(['2026-11-16T00:11:00.000Z']),
    )

    const late = await poll(upstream.outside(monday + hourMs), left.cursor)
    expect(upstream.offsets()).toEqual([0, 1000, 2000])
    expect(late.snapshots).toMatchObject([{ snapshot: '2026-11-16T01:11:00.000Z', items: 2345 }])
  })

  test('begins again if the catalog changes under it', async () => {
    const upstream = await startCatalog(manyItems(2345))
    let moves = 1
    upstream.state.beforePage = offset => {
      if (offset === 2000 && moves-- > 0) upstream.state.items = manyItems(2400)
    }
    const { snapshots } = await poll(upstream.outside(monday))
    expect(upstream.offsets()).toEqual([0, 1000, 2000, 0, 1000, 2000])
    expect(snapshots).toMatchObject([{ total_first: 2400, total_last: 2400, items: 2400 }])
  })

  test('never counts while the catalog keeps changing', async () => {
    const upstream = await startCatalog(manyItems(2345))
    upstream.state.beforePage = offset => {
      if (offset === 1000) upstream.state.items = manyItems(upstream.state.items.length + 200)
    }
    const { snapshots, failure, cursor } = await poll(upstream.outside(monday))
    expect(snapshots).toEqual([])
    expect(failure).toEqual(
      new UpstreamFailed('the catalog moved while it was read: the total went from 2745 to 2945'),
    )
    expect(cursor).toEqual({})
  })

  test.each([
    ['a login page', (upstream: Awaited<ReturnType<typeof startCatalog>>) => (upstream.state.fail = 302)],
    ['an empty catalog', (upstream: Awaited<ReturnType<typeof startCatalog>>) => (upstream.state.items = [])],
  ])('is not a pass over %s', async (_, spoil) => {
    const upstream = await startCatalog(manyItems(10))
    spoil(upstream)
    const { snapshots, resources, failure } = await poll(upstream.outside(monday))
    expect(failure).toBeInstanceOf(UpstreamFailed)
    expect([...snapshots, ...resources]).toEqual([])
  })

  test('is due once a week, from Monday on', () => {
    const whole = new Date(monday).toISOString()
    expect(catalog.due?.(monday, undefined)).toBe(true)
    expect(catalog.due?.(monday, {})).toBe(true)
    expect(catalog.due?.(Date.parse('2026-11-22T23:59:00Z'), { whole })).toBe(false)
    expect(catalog.due?.(Date.parse('2026-11-23T00:11:00Z'), { whole })).toBe(true)
  })
})

testRecorded('500 resources of the live catalog, every one a row', async ({ samples }) => {
  const file = join(samples, 'f-bazaar/cdp-discovery-2026-03-shared-even.json')
  const upstream = await startCatalog(JSON.parse(readFileSync(file, 'utf8')).items)
  const { resources, snapshots } = await poll(upstream.outside(monday))
  expect(snapshots).toMatchObject([{ items: 500, unread: 0 }])
  expect(new Set(resources.map(({ resource_key }) => resource_key)).size).toBe(500)
  expect(resources.filter(({ junk }) => junk === 'testnet_only')).toHaveLength(10)
  const unpriced = resources.filter(({ junk, price_usd }) => !junk && price_usd === null)
  expect(unpriced.flatMap(({ accepts }) => accepts).filter(({ amount }) => amount !== '')).toEqual([])
  expect(new Set(resources.map(({ x402_version }) => x402_version))).toEqual(new Set([1, 2]))
})
