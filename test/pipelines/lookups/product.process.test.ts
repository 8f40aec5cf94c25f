import { afterAll, expect, it, onTestFinished } from 'vitest'
import {
  openProductReader,
  TaskBroke,
  TaskTooLong,
  TooManyTasks,
} from '../../../pipelines/domains/product/reader.ts'
import { type LookedProduct, productLookup } from '../../../pipelines/lookups/product.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { Busy } from '../../../pipelines/rails/outside/browser/browser-failures.ts'
import type { NoPage } from '../../../pipelines/rails/outside/pages/page.ts'
import { productsSeen } from '../../../schemas/products-seen.ts'
import { atSite, SampleShop as Site, start } from '../../sample-shop.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

/** One thread reads for all. */
const products = openProductReader()
afterAll(() => products.close())

async function opened(site = new Site(), folder = scratchFolder()) {
  const now = () => site.now
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: [productsSeen.topic], now })
  const failed: unknown[] = []
  const finder = await startLookups([productLookup] as never, {
    needsOf: () => ({ pages: site.find, products }),
    outside: () => ({}) as never,
    now,
    log,
    onFailed: (_, error) => failed.push(error),
  })
  const close = async () => {
    await finder.close()
    await log.close()
  }
  onTestFinished(close)
  const find = (path: string, maxAgeMs = 900_000) =>
    finder.find(productLookup, {
      url: `http://chandlery.sample${path}`,
      askedAt: site.now,
      maxAgeMs,
    }) as Promise<LookedProduct>
  return { site, find, folder, close, failed }
}

it('finds the product of a page without a browser', async () => {
  const { find, site } = await opened()
  expect(await find('/products/NM-2041')).toMatchObject({
    finalUrl: 'http://chandlery.sample/products/NM-2041',
    rendered: false,
    fetchedAt: start,
    product: { facts: { name: 'Brass anchor lamp', offers: { price: '129.00' } } },
  })
  expect(site.asked.map(({ render }) => render)).toEqual(['never'])
})

it('finds nothing where no product is', async () => {
  const { find } = await opened()
  expect((await find('/products')).nothing?.refusal).toBe('several_products')
  expect((await find('/')).nothing?.refusal).toBe('not_a_product')
  expect((await find('/nowhere')).nothing).toEqual({
    refusal: 'page_refused',
    message: 'chandlery.sample answers 404',
  })
  expect((await find('/flag-price.json')).nothing?.refusal).toBe('not_a_page')
})

it('asks the browser if scripts would bring the price, and does without it if there is none', async () => {
  const { find, site } = await opened()
  expect((await find('/products/flags')).product?.facts.offers).toEqual({
    kind: 'one',
    availability: 'InStock',
  })
  site.now += 1
  site.browser = url => String(atSite(new URL(url))?.body).replace('id="price">', 'id="price">€112.00')
  expect(await find('/products/flags', 0)).toMatchObject({
    rendered: true,
    product: { facts: { offers: { price: '112.00' } } },
  })
})

it('follows a page that sends its reader to another one', async () => {
  const { find } = await opened()
  expect(await find('/products/old-lamp')).toMatchObject({
    finalUrl: 'http://chandlery.sample/products/NM-2041',
    product: { facts: { sku: 'NM-2041' } },
  })
})

it('keeps a product for as long as the caller says, and never a page without one', async () => {
  const { find, site } = await opened()
  await find('/products/NM-2041')
  site.now += 600_000
  expect((await find('/products/NM-2041')).fetchedAt).toBe(start)
  expect(site.asked).toHaveLength(1)
  expect((await find('/products/NM-2041', 300_000)).fetchedAt).toBe(site.now)
  expect((await find('/products/NM-2041', 0)).fetchedAt).toBe(site.now)
  site.now += 1
  expect((await find('/products/NM-2041', 0)).fetchedAt).toBe(site.now)
  const before = site.asked.length
  await find('/')
  await find('/')
  expect(site.asked.length).toBeGreaterThanOrEqual(before + 2)
})

it('reads back its readings after a restart', async () => {
  const first = await opened()
  await first.find('/products/NM-2041')
  await first.close()
  const site = new Site()
  site.now += 1_000
  const { find } = await opened(site, first.folder)
  await until(async () => (await find('/products/NM-2041')).fetchedAt === start)
  expect(site.asked).toEqual([])
})

it('was costly if a browser has worked on the page, even in vain', async () => {
  const site = new Site()
  const read = async () => ({ nothing: 'not_a_product', message: 'none', isScripted: true }) as never
  const late: NoPage = { refusal: 'page_fetch_failed', message: 'late', rendered: true }
  const asked = { url: 'http://chandlery.sample/', askedAt: start, maxAgeMs: 0 }
  for (const [shown, wasCostly] of [
    [late, true],
    [{ ...late, rendered: undefined }, false],
  ] as [NoPage, boolean][]) {
    const { find } = productLookup.open({
      pages: async page => (page.render === 'never' ? site.find(page) : shown),
      products: { read, close: async () => {} },
    })
    const seen = await find(asked, {} as never)
    expect([seen?.nothing?.refusal, productLookup.costly?.was(seen)]).toEqual([
      'page_fetch_failed',
      wasCostly,
    ])
  }
})

it.each([
  ['takes too long', TaskTooLong],
  ['breaks its thread', TaskBroke],
])('refuses by name a page that %s', async (_, Failed) => {
  const products = { read: () => Promise.reject(new Failed('as the thread says')), close: async () => {} }
  const { find } = productLookup.open({ pages: new Site().find, products })
  expect(
    await find({ url: 'http://chandlery.sample/boots', askedAt: start, maxAgeMs: 0 }, {} as never),
  ).toMatchObject({
    nothing: { refusal: 'page_too_large' },
  })
})

it('turns callers away while too many pages wait', async () => {
  const products = { read: () => Promise.reject(new TooManyTasks('100 wait')), close: async () => {} }
  const { find } = productLookup.open({ pages: new Site().find, products })
  const asked = { url: 'http://chandlery.sample/boots', askedAt: start, maxAgeMs: 0 }
  await expect(find(asked, {} as never)).rejects.toThrow(Busy)
})
