/** A changed declaration changes the answer: in each syntax, for each field, whatever else the page shows. */
import { expect, it } from 'vitest'
import { block, page, productIn } from './pages.ts'

interface Stated {
  price: string
  priceCurrency: string
  availability: string
  sku: string
  brand: string
}
const before: Stated = {
  price: '12.50',
  priceCurrency: 'EUR',
  availability: 'InStock',
  sku: 'CUP-48213',
  brand: 'Potter',
}
const after: Stated = {
  price: '31.75',
  priceCurrency: 'CHF',
  availability: 'Discontinued',
  sku: 'JUG-77001',
  brand: 'Turner',
}

const product = 'https://schema.org/Product'
const offer = 'https://schema.org/Offer'
const tag = (attributes: string, content: string | undefined): string =>
  content === undefined ? '' : `<meta ${attributes} content="${content}">`

/** How a shop declares it. Undefined fields are left out. */
const syntaxes: Record<string, (stated: Partial<Stated>) => { head?: string; body?: string }> = {
  'JSON-LD': ({ sku, brand, ...offers }) => ({
    head: block({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: 'Blue Cup',
      sku,
      brand,
      offers: { '@type': 'Offer', ...offers },
    }),
  }),
  microdata: ({ sku, brand, price, priceCurrency, availability }) => ({
    body: `<div itemscope itemtype="${product}"><i itemprop="name">Blue Cup</i>${tag('itemprop="sku"', sku)}${tag('itemprop="brand"', brand)}
      <div itemprop="offers" itemscope itemtype="${offer}">${tag('itemprop="price"', price)}${tag('itemprop="priceCurrency"', priceCurrency)}${tag('itemprop="availability"', availability)}</div></div>`,
  }),
  RDFa: ({ sku, brand, price, priceCurrency, availability }) => ({
    body: `<div vocab="https://schema.org/" typeof="Product"><i property="name">Blue Cup</i>${tag('property="sku"', sku)}${tag('property="brand"', brand)}
      <div property="offers" typeof="Offer">${tag('property="price"', price)}${tag('property="priceCurrency"', priceCurrency)}${tag('property="availability"', availability)}</div></div>`,
  }),
  'price tags': ({ sku, brand, price, priceCurrency, availability }) => ({
    head: `${tag('property="product:retailer_item_id"', sku)}${tag('property="product:brand"', brand)}
      ${tag('property="product:price:amount"', price)}${tag('property="product:price:currency"', priceCurrency)}${tag('property="product:availability"', availability)}`,
  }),
}

/** The page still shows the earlier values, and those of a neighbour. */
const shown =
  '<b class="price current">€12.50</b><div class="stock">In stock</div><dl><dt>SKU:</dt><dd>CUP-48213</dd><dt>Brand</dt><dd>Potter</dd></dl><button>Add to cart</button><section class="related"><a href="/jar">Jar</a> <b class="price">€1.00</b></section>'

const readIn = (syntax: string, stated: Partial<Stated>) => {
  const { head = '', body = '' } = syntaxes[syntax]?.(stated) ?? {}
  const { facts, by } = productIn(page(body + shown, { head }))
  const offers = facts.offers?.kind === 'one' ? facts.offers : undefined
  const found = {
    price: offers?.price,
    priceCurrency: offers?.currency,
    availability: offers?.availability,
    sku: facts.sku,
    brand: facts.brand,
  }
  return { found, by }
}
const told = {
  price: 'offers.price',
  priceCurrency: 'offers.priceCurrency',
  availability: 'offers.availability',
  sku: 'sku',
  brand: 'brand.name',
}

const fields = Object.keys(before) as (keyof Stated)[]
const cases = Object.keys(syntaxes).flatMap(syntax => fields.map(field => [syntax, field] as const))

it.each(cases)('%s with another %s returns it, and all else stays', (syntax, field) => {
  expect(readIn(syntax, before).found).toEqual(before)
  const { found, by } = readIn(syntax, { ...before, [field]: after[field] })
  expect(found).toEqual({ ...before, [field]: after[field] })
  expect(by.get(told[field])).toBe('declared')
})

it.each(cases)('%s without %s returns the visible value, as inferred', (syntax, field) => {
  const { found, by } = readIn(syntax, { ...before, [field]: undefined })
  expect([found[field], by.get(told[field])]).toEqual([before[field], 'inferred'])
})
