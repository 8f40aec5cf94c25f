import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { buildMarket } from '../../../../pipelines/domains/market/build.ts'
import { NotReady } from '../../../../pipelines/rails/failures.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { startMarket } from '../../../../pipelines/workers/market/weekly.ts'
import { startSink } from '../../../../pipelines/workers/sink.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import type { MarketResource } from '../../../../schemas/market-resources.ts'
import { marketSnapshots } from '../../../../schemas/market-snapshots.ts'
import {
  marketBuilds,
  marketEndpoints,
  marketReleases,
  marketWeeks,
} from '../../../../schemas/market-weeks.ts'
import { sourceTicks } from '../../../../schemas/source-ticks.ts'
import { marketBest } from '../../../../services/origins/data/market/market-best.ts'
import { marketDataset } from '../../../../services/origins/data/market/market-dataset.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { scratchFolder } from '../../../scratch.ts'
import { ask } from '../../../services/origins/ask.ts'
import { until } from '../../../until.ts'
import { folderOfFile } from './folder.ts'
import {
  addressOf,
  day,
  listing,
  marketDatasets,
  noise,
  putCatalog,
  putPayments,
  putRanges,
  snapshot,
} from './market-store.ts'

const folder = folderOfFile()
const sold = [marketWeeks, marketEndpoints, marketBuilds] as unknown as Dataset[]
const now = () => Date.parse('2026-11-16T07:00:00.000Z')
const tables = [
  'market_resources',
  'market_snapshots',
  'chain_payments',
  'chain_ranges',
  ...sold.map(({ name }) => name),
]
let store: Store
let log: Log
beforeAll(async () => {
  store = await openStore(`embedded:${folder.path}`)
  await store.apply(marketDatasets)
})
afterAll(async () => {
  await store.close()
  folder.remove()
})
beforeEach(async () => {
  for (const { name } of marketDatasets)
    if (tables.includes(name)) await store.query(`truncate table ${name}`)
  log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: [...sold, marketReleases, marketSnapshots, sourceTicks].map(({ topic }) => topic),
  })
  onTestFinished(() => log.close())
})

const sellers = (count: number, at = snapshot, more: { calls?: number } = {}) =>
  Array.from({ length: count }, (_, index) =>
    listing({ host: `seller${index}.dev`, wallet: `0x${String(index).padStart(40, '0')}`, ...more }, at),
  )
const build = (force = false) => buildMarket({ store, log, now, force })
const next = '2026-11-23T06:00:00.000Z'

async function shelfOf(): Promise<{ shelf: Shelf; now: () => number }> {
  const shelf = new Shelf(now)
  await shelf.stock(log, [marketReleases, sourceTicks] as unknown as Dataset[])
  onTestFinished(() => shelf.close())
  return { shelf, now }
}

describe('goes on sale, and the build of the next week replaces it; past weeks stay in the store', () => {
  test('goes on sale, and the week after takes its place; past weeks stay in the store', async () => {
    await putCatalog(store, sellers(30))
    expect(await build()).toMatchObject({
      outcome: 'published',
      week: '2026-W47',
      sellers: 30,
      endpoints: 30,
      rated: 1,
    })
    const asking = await shelfOf()
    expect((await ask(marketDataset, {}, asking)).week).toBe('2026-W47')

    await putCatalog(store, sellers(28, next, { calls: 44 }), next)
    expect(await build()).toMatchObject({ outcome: 'published', week: '2026-W48', sellers: 28 })
    await until(
      async () => (await ask(marketDataset, {}, asking)).week === '2026-W48',
      'the new week on sale',
    )
    expect((await ask(marketDataset, {}, await shelfOf())).sellers).toHaveLength(28)

    const sinks = await Promise.all(
      sold.map(dataset => startSink({ log, store, dataset, now, onProblem: () => {} })),
    )
    const weeks = () =>
      store.query(
        'select week, count() as sellers, sum(calls) as calls from market_weeks group by week order by week',
      )
    await until(async () => (await weeks()).length === 2, 'both weeks in the store')
    for (const sink of sinks) await sink.close()
    expect(await weeks()).toEqual([
      { week: '2026-W47', sellers: '30', calls: '900' },
      { week: '2026-W48', sellers: '28', calls: '1232' },
    ])
  })

  test('from the same facts is identical to the byte, and is not put on sale again', async () => {
    await putCatalog(store, sellers(20))
    const first = await build()
    const second = await build()
    expect(second).toMatchObject({ outcome: 'unchanged', release: first.release })
    expect((await ask(marketDataset, {}, await shelfOf())).generated_at).toBe(first.at)
  })

  test('recognises one operator by an address on an unread network, and no operator by the zero address', async () => {
    const named = (host: string, pay_to: string, network: string) =>
      listing({ host, wallet: `0x${host}` }).accepts.concat([
        { ...listing({ host }).accepts[0], network, pay_to } as MarketResource['accepts'][number],
      ])
    const on = (host: string, pay_to: string, network: string) =>
      listing({ host, wallet: `0x${host}`, more: { accepts: named(host, pay_to, network) } })
    const [shared, zero] = [`0x${'ab'.repeat(20)}`, `0x${'00'.repeat(20)}`]
    await putCatalog(store, [
      on('a.dev', shared, 'eip155:137'),
      on('b.dev', shared, 'eip155:42161'),
      on('c.dev', zero, 'eip155:137'),
      on('d.dev', zero, 'eip155:137'),
    ])
    await build()
    const operators = await store.query('select host, operator from market_operators order by host')
    expect(operators).toEqual([
      { host: 'a.dev', operator: 'a.dev' },
      { host: 'b.dev', operator: 'a.dev' },
      { host: 'c.dev', operator: 'c.dev' },
      { host: 'd.dev', operator: 'd.dev' },
    ])
    const { results } = await ask(marketBest, { task: 'service dev' }, await shelfOf())
    expect(results.map(({ host }) => host).sort()).toEqual([
      expect.stringMatching(/^[ab]\.dev$/),
      'c.dev',
      'd.dev',
    ])
  })

  test('without any snapshot is not ready', async () => {
    await expect(build()).rejects.toThrow(NotReady)
  })

  test('waits for rows of the snapshot that are still on their way', async () => {
    await putCatalog(store, sellers(20))
    await store.query(
      "alter table market_resources delete where seller like 'seller1%' settings mutations_sync = 1",
    )
    await expect(build()).rejects.toThrow(/9 of 20 listings/)
  })

  test("has the chain's data if all of the window was read, and says so", async () => {
    await putCatalog(store, [
      ...sellers(1),
      listing({ host: 'shared-a.dev', wallet: '0xshared' }),
      listing({ host: 'shared-b.dev', wallet: '0xshared' }),
    ])
    await putRanges(store)
    await putPayments(store, [
      {
        flow: 'f',
        count: 60,
        payer: addressOf('toString(number % 20)'),
        payTo: "'0x0000000000000000000000000000000000000000'",
        at: noise("'f'", 30 * day),
      },
    ])
    expect(await build()).toMatchObject({ chain_coverage: expect.closeTo(1, 2) })
    const { sellers: told } = await ask(marketDataset, {}, await shelfOf())
    const noteOf = (host: string) => told.find(seller => seller.host === host)?.onchain_note
    expect(noteOf('seller0.dev')).toEqual({
      checked: '2026-11-15',
      note: '60 x402 payments by 20 wallets, 0.60 USDC in all, were seen at the declared wallet in 30 days.',
      source: 'Base blocks 1000 to 9000, USDC to 0x0000000000000000000000000000000000000000',
    })
    expect(noteOf('shared-a.dev')?.note).toContain('also receives for 1 other sellers')
  })

  test('has no data of a chain that was read only in part', async () => {
    await putCatalog(store, sellers(1))
    await putRanges(store, '2026-11-01T00:00:00.000Z')
    expect((await build()).chain_coverage).toBeCloseTo(0.5, 1)
    expect((await ask(marketDataset, {}, await shelfOf())).sellers[0]?.onchain_note).toBeNull()
  })
})

describe('the gate keeps the release before', () => {
  test.each([
    [
      'half of the sellers are gone',
      () => putCatalog(store, sellers(19, next), next),
      /19 sellers are active, and 40 were/,
    ],
    [
      'others have taken the place of the first ones',
      () => putCatalog(store, sellers(80, next).slice(40), next),
      /of the first 40 sellers only 0 are left/,
    ],
    [
      'usage numbers are missing',
      () =>
        putCatalog(
          store,
          sellers(40, next).map((row, at) => (at < 5 ? { ...row, calls_30d: null } : row)),
          next,
        ),
      /only 35 of 40 listings have usage numbers/,
    ],
    [
      'nobody sold anything',
      () => putCatalog(store, sellers(40, next, { calls: 0 }), next),
      /no seller is active/,
    ],
  ])('when %s', async (_what, worse, reason) => {
    await putCatalog(store, sellers(40))
    await build()
    await worse()
    const held = await build()
    expect(held).toMatchObject({ outcome: 'held_back', week: '2026-W48' })
    expect(held.reasons.join()).toMatch(reason)
    expect((await ask(marketDataset, {}, await shelfOf())).week).toBe('2026-W47')
    if (held.sellers) {
      expect((await build(true)).outcome).toBe('published')
      expect((await ask(marketDataset, {}, await shelfOf())).week).toBe('2026-W48')
    }
  })

  test('if the chain was read before and is not read now', async () => {
    await putCatalog(store, sellers(40))
    await putRanges(store)
    await build()
    await store.query('truncate table chain_ranges')
    await putCatalog(store, sellers(40, next), next)
    expect((await build()).reasons).toEqual(['only 0 % of the window was read on chain'])
  })
})

test('the clock builds a new release once, and reports the ones it held back', async () => {
  const failed: unknown[] = []
  const held: (readonly string[])[] = []
  let opened = 0
  const open = async () => {
    opened++
    return store
  }
  const market = startMarket({
    log,
    store: open,
    now,
    onFailed: error => failed.push(error),
    onHeldBack: reasons => held.push(reasons),
  })
  onTestFinished(() => market.close())
  await putCatalog(store, sellers(10, snapshot, { calls: 0 }))
  expect(opened).toBe(0)
  await log.append(marketSnapshots.topic, [{ key: 'cdp', value: '{}' }])
  await until(() => held.length > 0, 'the build', 40_000)
  expect({ failed, held }).toEqual({ failed: [], held: [['no seller is active']] })
})
