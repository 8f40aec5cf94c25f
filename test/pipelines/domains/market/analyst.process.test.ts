import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildMarket } from '../../../../pipelines/domains/market/build.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { startSink } from '../../../../pipelines/workers/sink.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import {
  marketBuilds,
  marketEndpoints,
  marketReleases,
  marketWeeks,
} from '../../../../schemas/market-weeks.ts'
import { until } from '../../../until.ts'
import { type Planted, questions } from './analyst-questions.ts'
import { folderOfFile } from './folder.ts'
import {
  type Listed,
  listing,
  marketDatasets,
  putCatalog,
  putPayments,
  putRanges,
  snapshot,
} from './market-store.ts'
import { planted, sweepers } from './planted.ts'

const folder = folderOfFile()
const sold = [marketWeeks, marketEndpoints, marketBuilds] as unknown as Dataset[]
let store: Store
let market: Planted

async function ask(sql: string): Promise<unknown> {
  const settings = 'output_format_json_quote_64bit_integers=0'
  const answer = await fetch(`${store.address.http}/?user=analyst&database=farebox&${settings}`, {
    method: 'POST',
    body: `${sql} format JSON`,
  })
  const body = await answer.text()
  if (!answer.ok) throw new Error(body)
  return JSON.parse(body).data
}

beforeAll(async () => {
  store = await openStore(`embedded:${folder.path}`)
  await store.apply(marketDatasets)
  const log = await openLog(`sqlite:${folder.path}/log.db`, {
    topics: [...sold, marketReleases].map(({ topic }) => topic),
  })
  const plants = planted(2)
  const names = plants.map(({ flows: [flow] }) => flow?.payTo ?? '')
  const [wallets] = await store.query<{ of: string[] }>(`select [${names.join(', ')}] as of`)
  const listed = plants.flatMap(({ listed: [row] }, at): Listed[] =>
    row ? [{ ...row, wallet: wallets?.of[at] ?? '' }] : [],
  )
  const next = '2026-11-23T06:00:00.000Z'
  await putRanges(store, '2026-11-23T05:00:00.000Z')
  await putPayments(store, [...plants.flatMap(({ flows }) => flows), ...sweepers(plants)])
  let at = Date.parse(snapshot)
  const build = () => buildMarket({ store, log, now: () => at })
  const first = listed.slice(2)
  const second = listed.map((row, index) => ({ ...row, calls: 60 + 7 * index }))
  market = { plants, first, second }
  await putCatalog(
    store,
    first.map(row => listing(row)),
  )
  await build()
  at = Date.parse(next)
  await putCatalog(
    store,
    second.map(row => listing(row, next)),
    next,
  )
  await build()
  const sinks = await Promise.all(
    sold.map(dataset => startSink({ log, store, dataset, now: () => at, onProblem: () => {} })),
  )
  await until(async () => (await store.query('select at from market_builds')).length === 2, 'both builds')
  await until(
    async () => (await store.query('select distinct week from market_endpoints')).length === 2,
    'both weeks',
  )
  for (const sink of sinks) await sink.close()
  await log.close()
})
afterAll(async () => {
  await store.close()
  folder.remove()
})

test.each(Object.entries(questions))('an analyst learns %s', async (_what, { sql, learns }) => {
  const rows = await ask(sql)
  expect(rows).toMatchObject(learns(market))
})
