import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemble, type Ranked } from '../../../pipelines/market/assembly.ts'
import { readRows } from '../../../pipelines/market/reading.ts'
import { openStore } from '../../../pipelines/store/open.ts'
import type { Store } from '../../../pipelines/store/store.ts'
import { marketViews, marketWindow } from '../../../schemas/market-views.ts'
import { folderOfFile } from './folder.ts'
import { listing, marketDatasets, putCatalog, putPayments, putRanges } from './market-store.ts'
import { planted, sweepers } from './planted.ts'

const each = 3
const plants = planted(each)
const folder = folderOfFile()
let store: Store
let ranked: Map<string, Ranked>
beforeAll(async () => {
  store = await openStore(`embedded:${folder.path}`)
  await store.apply(marketDatasets)
  const walletOf = new Map(
    await Promise.all(
      plants.map(async ({ listed: [seller], flows: [flow] }) => {
        const [{ wallet } = { wallet: '' }] = await store.query<{ wallet: string }>(
          `select ${flow?.payTo} as wallet`,
        )
        return [seller?.host ?? '', wallet] as const
      }),
    ),
  )
  await putCatalog(
    store,
    plants.flatMap(({ listed }) =>
      listed.map(row => listing({ ...row, wallet: walletOf.get(row.host) ?? '' })),
    ),
  )
  await putRanges(store)
  await putPayments(store, [
    ...plants.flatMap(({ flows }) => flows),
    ...sweepers(plants),
    // History begins in August, so a wallet that appears later is really new.
    {
      flow: 'old',
      count: 1,
      payer: "'somebody'",
      payTo: plants[0]?.flows[0]?.payTo ?? '',
      at: '-77 * 86400',
    },
  ])
  for (const view of marketViews) await store.rebuild(view)
  const [window] = await store.read(marketWindow)
  if (!window) throw new Error('no window')
  const { rows } = await readRows(store, window)
  ranked = new Map(assemble(rows).ranked.map(seller => [seller.seller.host, seller]))
})
afterAll(async () => {
  await store.close()
  folder.remove()
})

const codesOf = (host = '') =>
  ranked
    .get(host)
    ?.found.filter(({ label }) => label.severity !== 'info')
    .map(({ label }) => label.code)

describe('a planted pattern is found, and nothing else with it', () => {
  test.each(plants.filter(({ expect }) => expect.length).map(plant => [plant.listed[0]?.host, plant.expect]))(
    '%s: %s',
    (host, codes) => {
      expect(codesOf(host as string)).toEqual(codes)
    },
  )
})

describe('an honest seller carries no label', () => {
  test.each(plants.filter(({ expect }) => !expect.length).map(plant => [plant.listed[0]?.host]))(
    '%s',
    host => {
      expect(ranked.get(host ?? '')?.seller.chain).toBeDefined()
      expect(ranked.get(host ?? '')?.found.map(({ label, evidence }) => [label.code, evidence])).toEqual([])
    },
  )
})
