import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemble, type RankedSeller } from '../../../../pipelines/domains/market/assembly.ts'
import { readRows } from '../../../../pipelines/domains/market/rows.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { marketViews, marketWindow } from '../../../../schemas/market-views.ts'
import { folderOfFile } from './folder.ts'
import { marketDatasets } from './market-store.ts'
import { planted, putPlants } from './planted.ts'

const each = 3
const plants = planted(each)
const folder = folderOfFile()
let store: Store
let ranked: Map<string, RankedSeller>
beforeAll(async () => {
  store = await openStore(`embedded:${folder.path}`)
  await store.apply(marketDatasets)
  await putPlants(store, plants)
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
