import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemble, type RankedSeller } from '../../../../pipelines/domains/market/assembly.ts'
import { readRows } from '../../../../pipelines/domains/market/rows.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { paymentsTo } from '../../../../schemas/chain-payments.ts'
import type { View } from '../../../../schemas/dataset/dataset.ts'
import { marketPayers, marketViews, marketWallets, marketWindow } from '../../../../schemas/market-views.ts'
import { isTrue } from '../../../../services/pages/market-facts.ts'
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

describe('what stands behind a label is looked up by its seller', () => {
  const of = async (kind: string) => {
    const host = plants.find(plant => plant.kind === kind)?.listed[0]?.host ?? ''
    const looked = <Row>(view: View<Row>, params: Record<string, string>) => {
      const { by, newestBy, most } = view.looked as NonNullable<View['looked']>
      const where = by.map(column => `${column} = {${column}: String}`).join(' and ')
      const order = newestBy.map(column => `${column} desc nulls last`).join(', ')
      return store.read(view, `where ${where} order by ${order} limit ${most}`, params)
    }
    const [wallet] = await looked(marketWallets, { host })
    if (!wallet) throw new Error(`${host} has no wallet`)
    const { network, pay_to } = wallet
    return {
      wallet,
      payers: await looked(marketPayers, { host }),
      payments: await looked(paymentsTo, { network, pay_to }),
    }
  }

  test('its own wallets come first, and its payments with their transactions', async () => {
    const { wallet, payers, payments } = await of('self')
    expect(payers[0]?.payer).toBe(wallet.pay_to)
    expect(payers.map(({ self }) => isTrue(self))).toEqual(payers.map((_, i) => i === 0))
    expect(payments.length).toBe(200)
    expect(payments.some(({ payer, tx }) => payer === wallet.pay_to && /^[0-9a-f]{32}$/.test(tx))).toBe(true)
  })

  test('the wallets that it funded come first', async () => {
    const { payers } = await of('circular')
    expect(isTrue(payers[0]?.funded ?? 0)).toBe(true)
    expect(Number(payers[0]?.back)).toBeGreaterThan(0)
  })
})
