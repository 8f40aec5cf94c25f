import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sourceText } from '../../../../pipelines/domains/document/source.ts'
import { extract as read } from '../../../../pipelines/domains/product/extract.ts'
import type { ProductReader } from '../../../../pipelines/domains/product/reader.ts'
import { productLookup } from '../../../../pipelines/lookups/product.ts'
import { VisitFailed } from '../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import type { PageRefusal } from '../../../../pipelines/rails/outside/pages/page.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { extract as origin } from '../../../../services/origins/extract/origin.ts'
import { extractProduct } from '../../../../services/origins/extract/product/extract.ts'
import { extractBatch } from '../../../../services/origins/extract/product/extract-batch.ts'
import { preview } from '../../../../services/origins/extract/product/preview.ts'
import { toolName } from '../../../../services/query/mcp/tools.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { SampleShop, start } from '../../../sample-shop.ts'
import { type Asking, ask, askText } from '../ask.ts'
import { refusal } from '../refusal.ts'

function shop(site = new SampleShop()): Asking & { site: SampleShop } {
  const products: ProductReader = {
    read: async ({ source, ...page }) => read({ ...page, html: sourceText(source) }),
    close: async () => {},
  }
  const { find } = productLookup.open({ pages: site.find, products })
  const now = () => site.now
  return {
    site,
    shelf: new Shelf(now),
    now,
    find: ((_, asked) => find(asked as never, {} as never)) as Tools['find'],
  }
}
const url = (path: string) => `http://chandlery.sample${path}`

describe('/extract', () => {
  it('gives its example as its answer', async () => {
    const { request, response } = extractProduct.example
    expect(await ask(extractProduct, request, shop())).toEqual(response)
  })

  it('prints a price with the digits that the page writes', async () => {
    expect(await askText(extractProduct, { url: url('/products/NM-2041') }, shop())).toContain(
      '"price":129.00,',
    )
  })

  it('tells what a careless declaration means, and what is doubtful in it', async () => {
    expect(await ask(extractProduct, { url: url('/products/barometer') }, shop())).toMatchObject({
      sku: '48112',
      printed: { sku: 'NM-6630', gtin: null, mpn: null },
      gtin: '4006381333932',
      offers: { '@type': 'Offer', price: 95, priceCurrency: 'EUR' },
      provenance: { declared: expect.arrayContaining(['sku', 'offers.price']) },
      warnings: ['prices_in_several_currencies', 'gtin_check_digit_wrong', 'declared_code_differs_from_page'],
    })
  })

  it('gives a group with its variants, and the variant that the URL names', async () => {
    const group = await ask(extractProduct, { url: url('/boots') }, shop())
    expect(group).toMatchObject({
      '@type': 'ProductGroup',
      productGroupID: 'NM-BOOT',
      sku: null,
      offers: {
        '@type': 'AggregateOffer',
        lowPrice: 79,
        highPrice: 84.5,
        offerCount: 3,
        availability: 'https://schema.org/InStock',
      },
      variants_truncated: false,
    })
    expect(group.hasVariant).toHaveLength(3)
    expect(await ask(extractProduct, { url: url('/boots?variant=NM-4142') }, shop())).toMatchObject({
      sku: 'NM-4142',
      size: '42',
      offers: { '@type': 'Offer', price: 79, availability: 'https://schema.org/OutOfStock' },
    })
  })

  it.each([
    '/products/NM-2041',
    '/boots',
    '/boots?variant=NM-4147',
    '/products/hand-compass',
    '/products/flags',
  ])('of %s names in its provenance each field that is not null, once', async path => {
    const answer = await ask(extractProduct, { url: url(path) }, shop())
    const { declared, inferred } = answer.provenance
    expect([...declared, ...inferred].sort()).toEqual(statedIn(answer).sort())
  })

  it('A cached answer says so, with its age and the moment when the page was really fetched.', async () => {
    const asking = shop()
    const page = asking.site.pageOf.bind(asking.site)
    asking.site.pageOf = (...given) => ({ ...page(...given), fetchedAt: start - 61_500 })
    expect(await ask(extractProduct, { url: url('/boots') }, asking)).toMatchObject({
      cached: true,
      cache_age_seconds: 61,
      fetchedAt: '2026-11-22T10:58:58.500Z',
    })
  })

  it('reads other spellings of one page, and says where they end', async () => {
    expect(
      await ask(extractProduct, { url: url('/en/products/NM-2041?utm_source=x') }, shop()),
    ).toMatchObject({
      final_url: url('/products/NM-2041'),
      sku: 'NM-2041',
    })
  })

  it('A URL that redirects to a page that looks different is refused free, unless allow_redirect is true.', async () => {
    const redirected = { status: 422, error: 'redirected', charged: false }
    for (const [path, final] of [
      ['/lamp-77410', '/products/NM-2041'],
      ['/products/NM-9999', '/'],
    ] as const) {
      const asking = shop()
      const refused = await refusal(extractProduct, { url: url(path) }, asking)
      expect(refused).toMatchObject(redirected)
      expect(refused.message).toContain(url(final))
    }
    expect(
      await refusal(extractProduct, { url: url('/products/NM-9999'), allow_redirect: true }, shop()),
    ).toMatchObject({ error: 'not_a_product' })
  })

  it('follows it if the caller allows it', async () => {
    const asking = shop()
    asking.site.more = {
      'chandlery.sample/lamp-77410': { status: 301, headers: { location: '/products/NM-2041' }, body: '' },
    }
    expect(
      await ask(extractProduct, { url: url('/lamp-77410'), allow_redirect: true }, asking),
    ).toMatchObject({
      url: url('/lamp-77410'),
      final_url: url('/products/NM-2041'),
      sku: 'NM-2041',
    })
  })

  it('treats a page that forwards its reader as a redirect', async () => {
    const asking = shop()
    const head = '<meta http-equiv="refresh" content="0;url=/products/NM-2041">'
    asking.site.more = { 'chandlery.sample/gone-88123': { body: `<head>${head}</head>` } }
    expect(await refusal(extractProduct, { url: url('/gone-88123') }, asking)).toMatchObject({
      error: 'redirected',
    })
  })

  it.each([
    ['not_a_product', '/'],
    ['several_products', '/products'],
    ['page_refused', '/nowhere'],
    ['not_a_page', '/flag-price.json'],
  ])('%s: %s', async (error, path) => {
    expect(await refusal(extractProduct, { url: url(path) }, shop())).toMatchObject({
      status: 422,
      error,
      charged: false,
    })
  })

  it.each<[PageRefusal, number]>([
    ['page_fetch_failed', 502],
    ['blocked_by_site', 422],
    ['too_many_redirects', 422],
    ['page_too_large', 422],
    ['robots_disallowed', 422],
  ])('%s, as the page says', async (error, status) => {
    const asking = shop()
    asking.site.gone = { refusal: error, message: 'The site says so' }
    expect(await refusal(extractProduct, { url: url('/boots') }, asking)).toMatchObject({
      status,
      error,
      charged: false,
    })
  })

  it.each([
    'http://127.0.0.1/',
    'ftp://chandlery.sample/x',
    'shop',
    'http://user:pw@chandlery.sample/x',
    'http://10.0.0.1/x',
  ])('invalid_url: %s', async typed => {
    expect(await refusal(extractProduct, { url: typed }, shop())).toMatchObject({
      status: 400,
      error: 'invalid_url',
    })
  })

  it('keeps its answer below 60,000 characters, and says that variants are left out', async () => {
    const asking = shop()
    const long = 'x'.repeat(450)
    const hasVariant = Array.from({ length: 60 }, (_, i) => ({
      '@type': 'Product',
      name: `${long}${i}`,
      sku: `s${i}`,
      color: long,
      size: long,
      url: `${url('/l')}?${long}${i}`,
      offers: { price: i + 1, priceCurrency: 'EUR' },
    }))
    const json = JSON.stringify({ '@type': 'ProductGroup', name: 'Long', hasVariant })
    asking.site.more = {
      'chandlery.sample/long': {
        body: `<title>Long</title><script type="application/ld+json">${json}</script><h1>Long</h1>`,
      },
    }
    const answer = await ask(extractProduct, { url: url('/long') }, asking)
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(60_000)
    expect(answer.variants_truncated).toBe(true)
    expect(answer.hasVariant?.length).toBeGreaterThan(10)
  })
})

describe('/extract/batch', () => {
  const paths = ['/products/NM-2041', '/boots', '/products/hand-compass']

  it('gives its example as its answer', async () => {
    const { request, response } = extractBatch.example
    expect(await ask(extractBatch, request, shop())).toEqual(response)
  })

  it('answers each page in the order asked, and compares those that it could read', async () => {
    const urls = [paths[0], '/nowhere', paths[1], '/', paths[2]].map(path => url(path as string))
    const answer = await ask(extractBatch, { urls }, shop())
    expect(answer.results.map(({ url }) => url)).toEqual(urls)
    expect(answer).toMatchObject({ succeeded: 3, failed: 2 })
    expect(answer.results[1]).toEqual({
      url: urls[1],
      ok: false,
      error: 'page_refused',
      message: 'chandlery.sample answers 404',
    })
    expect(answer.comparison.table).toEqual([
      {
        url: urls[0],
        name: 'Brass anchor lamp',
        price: 129,
        currency: 'EUR',
        availability: 'https://schema.org/InStock',
        brand: 'Northmast',
      },
      {
        url: urls[2],
        name: 'Deck boot',
        price: 79,
        currency: 'EUR',
        availability: 'https://schema.org/InStock',
        brand: 'Northmast',
      },
      {
        url: urls[4],
        name: 'Hand compass',
        price: 49.9,
        currency: 'EUR',
        availability: 'https://schema.org/LimitedAvailability',
        brand: 'Northmast',
      },
    ])
    expect(answer.comparison.cheapest).toEqual([{ currency: 'EUR', price: 49.9, url: urls[4] }])
  })

  it('is free if every page fails: all_failed, with each reason', async () => {
    const urls = ['/nowhere', '/', '/products'].map(url)
    const refused = await refusal(extractBatch, { urls }, shop())
    expect(refused).toMatchObject({ status: 422, error: 'all_failed', charged: false })
    for (const code of ['page_refused', 'not_a_product', 'several_products'])
      expect(refused.message).toContain(code)
  })

  it('is a 502 where the world alone is at fault', async () => {
    const asking = shop()
    asking.site.gone = { refusal: 'page_fetch_failed', message: 'no answer' }
    expect(await refusal(extractBatch, { urls: paths.map(url) }, asking)).toMatchObject({
      status: 502,
      error: 'all_failed',
    })
    const failing: Asking = { ...asking, find: () => Promise.reject(new VisitFailed('timeout', 'too slow')) }
    expect(await refusal(extractBatch, { urls: paths.map(url) }, failing)).toMatchObject({
      status: 502,
      error: 'all_failed',
    })
  })

  it.each([
    ['none', []],
    ['six', [1, 2, 3, 4, 5, 6].map(i => url(`/${i}`))],
    ['two that are one page', [url('/boots'), 'HTTP://CHANDLERY.sample/boots#size']],
  ])('of %s is refused', async (_, urls) => {
    await expect(ask(extractBatch, { urls }, shop())).rejects.toThrow(/URL/)
  })

  it('allows redirects for all if the caller does', async () => {
    const answer = await ask(
      extractBatch,
      { urls: [url('/lamp'), url('/boots')], allow_redirect: true },
      shop(),
    )
    expect(answer).toMatchObject({ succeeded: 2 })
  })
})

describe('/preview', () => {
  it('is an extraction, and says that it is a preview', async () => {
    const answer = await ask(preview, {}, shop())
    expect(answer).toMatchObject({
      preview: true,
      name: 'Espresso cup, blue',
      offers: { price: 14.5, priceCurrency: 'GBP' },
    })
    expect(answer.provenance).toMatchObject({
      declared: expect.arrayContaining(['offers.price']),
      inferred: ['mpn'],
    })
    expect(Object.keys(answer).sort()).toEqual(
      [
        ...Object.keys(await ask(extractProduct, { url: url('/products/NM-2041') }, shop())),
        'preview',
      ].sort(),
    )
  })
})

it('the tools of MCP have the names of the spec', () => {
  expect(origin.operations.map(toolName)).toEqual(['get_product_details', 'compare_products'])
})

/** The dotted names of the fields that an answer fills. */
function statedIn(answer: object): string[] {
  const skipped =
    /^(@.*|url|final_url|provenance|warnings|rendered|cached|cache_age_seconds|fetched_at|fetchedAt|variants_truncated)$/
  return Object.entries(answer).flatMap(([name, value]) => {
    if (skipped.test(name) || value === null || (Array.isArray(value) && value.length === 0)) return []
    if (typeof value !== 'object' || Array.isArray(value)) return [name]
    return Object.keys(value).flatMap(inner => {
      const stated = (value as Record<string, unknown>)[inner]
      return inner.startsWith('@') || stated === null ? [] : [`${name}.${inner}`]
    })
  })
}

describe('what is promised', () => {
  const bare = '<title>Cup</title><h1>Cup</h1><p>Article number: C-48213</p><button>Add to cart</button>'
  const asking = (body: string) => {
    const given = shop()
    given.site.more = { 'chandlery.sample/cup': { body } }
    return given
  }

  it('A field that the page does not state is null. Nothing is made up, and no model is asked.', async () => {
    const answer = await ask(extractProduct, { url: url('/cup') }, asking(bare))
    const { name, sku, offers, provenance, ...rest } = answer
    expect([name, sku, offers]).toEqual([
      'Cup',
      'C-48213',
      expect.objectContaining({ price: null, priceCurrency: null }),
    ])
    for (const field of ['description', 'gtin', 'mpn', 'color', 'size', 'brand', 'aggregateRating'] as const)
      expect(rest[field]).toBeNull()
    expect(rest.image).toEqual([])
  })

  it('What the shop declares (JSON-LD, ProductGroup, microdata) comes before what the page shows, and provenance says which is which.', async () => {
    const json = '{"@type":"Product","name":"Cup","offers":{"price":"9.00","priceCurrency":"EUR"}}'
    const body = `${bare}<b class="price">€11.00</b><script type="application/ld+json">${json}</script>`
    expect(await ask(extractProduct, { url: url('/cup') }, asking(body))).toMatchObject({
      offers: { price: 9 },
      provenance: {
        declared: expect.arrayContaining(['offers.price']),
        inferred: ['sku', 'offers.availability'],
      },
    })
  })

  it('A batch is free if every page fails, and charged in full as soon as one is read.', async () => {
    expect(await refusal(extractBatch, { urls: [url('/nowhere')] }, shop())).toMatchObject({ charged: false })
    expect(await ask(extractBatch, { urls: [url('/nowhere'), url('/boots')] }, shop())).toMatchObject({
      succeeded: 1,
    })
    expect(extractBatch.sold).toBe('Sold in full as soon as one page is read; free if every page fails.')
  })

  it('A call that fails is never charged.', async () => {
    expect(await refusal(extractProduct, { url: url('/') }, shop())).toMatchObject({ charged: false })
  })

  it('has a test of its name', () => {
    const tests = readFileSync(import.meta.filename, 'utf8')
    expect(origin.guarantees?.filter(sentence => !tests.includes(`'${sentence}'`))).toEqual([])
  })
})
