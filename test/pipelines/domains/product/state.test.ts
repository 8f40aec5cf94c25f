import { describe, expect, it } from 'vitest'
import { page, productIn } from './pages.ts'

const buy = '<button>Add to cart</button>'
const money = (amount: string, currencyCode = 'EUR') => ({ amount, currencyCode })
/** As the Storefront API of Shopify answers. */
const cup = {
  id: 'gid://shopify/Product/81',
  title: 'Blue Cup',
  vendor: 'Potter',
  availableForSale: true,
  priceRange: { minVariantPrice: money('95.0'), maxVariantPrice: money('95.0') },
  variants: { nodes: [{ id: 'gid://shopify/ProductVariant/1', sku: 'CUP-1', barcode: '4006381333931' }] },
}
const dear = { ...cup, priceRange: { minVariantPrice: money('95.0'), maxVariantPrice: money('120.5') } }

const assigned = (product: unknown) =>
  `<script>window.__remixContext = ${JSON.stringify({ state: { loaderData: { 'routes/products.$handle': { product } } } })};</script>`

const push = (piece: string) => `<script>self.__next_f.push(${JSON.stringify([1, piece])})</script>`
/** Rows as a page of the App Router streams them: text with its length, references, elements. */
function streamed(product: unknown, pieceLength = 10_000): string {
  const text = 'Glazed in blue.\nÄ cup, by 3:"hand".'
  const rows = [
    '1:"$Sreact.fragment"\n2:I[4711,["/_next/static/chunks/app.js"],"default"]\n',
    `3:T${Buffer.byteLength(text).toString(16)},${text}`,
    `4:${JSON.stringify(['$', 'main', null, { children: ['$', '$L2', null, { product, currency: null }] }])}\n`,
    '5:null\n',
  ].join('')
  const pieces = Array.from({ length: Math.ceil(rows.length / pieceLength) }, (_, i) =>
    push(rows.slice(i * pieceLength, (i + 1) * pieceLength)),
  )
  return `<script>(self.__next_f=self.__next_f||[]).push([0])</script>${pieces.join('')}`
}

const under = (name: string) => (product: unknown) =>
  `<script>function f() { if (a == 1) { b = {} } }\n${name} = ${JSON.stringify(product)};</script>`

describe.each([
  ['assigned to a name', assigned],
  ['assigned to any name', under('const wholeThing')],
  ['assigned to a property', under('window.shop["p"].cupOfPage')],
  ['assigned in a list', (product: unknown) => under('window.x')([{ other: 1 }, product])],
  ['streamed', streamed],
  ['streamed in small pieces', (product: unknown) => streamed(product, 7)],
])('the product of a shop without declarations, %s', (_, written) => {
  it('is read with its maker, price, currency, code and stock', () => {
    const { facts, by } = productIn(page(`${buy}${written(cup)}`))
    expect(facts).toMatchObject({
      name: 'Blue Cup',
      brand: 'Potter',
      sku: 'CUP-1',
      gtin: '4006381333931',
      offers: { kind: 'one', price: '95.0', currency: 'EUR', availability: 'InStock' },
    })
    expect([by.get('offers.price'), by.get('brand.name')]).toEqual(['inferred', 'inferred'])
  })

  it('has a range of prices where its variants have several', () => {
    expect(productIn(page(`${buy}${written(dear)}`)).facts.offers).toMatchObject({
      kind: 'many',
      low: '95.0',
      high: '120.5',
      currency: 'EUR',
    })
  })

  it('is not believed where the page shows other prices', () => {
    const { facts } = productIn(page(`<b class="price">€12.00</b>${buy}${written(dear)}`))
    expect(facts.offers).toMatchObject({ kind: 'one', price: '12.00', currency: 'EUR' })
  })
})

it('a stream that breaks off, or lies about a length, is read as far as it goes', () => {
  const whole = streamed(cup)
  expect(productIn(page(`<b class="price">€95.00</b>${buy}${whole.slice(0, -60)}`)).facts.name).toBe(
    'Blue Cup',
  )
  const lying = whole.replace('3:T', '3:Tffffff')
  expect(productIn(page(`<b class="price">€95.00</b>${buy}${lying}`)).facts.offers).toMatchObject({
    price: '95.00',
  })
})

it('the prices of a range may stand under other names', () => {
  const value = (value: number) => ({ final_price: { value, currency: 'CHF' } })
  const product = { name: 'Blue Cup', price_range: { minimum_price: value(40), maximum_price: value(60.5) } }
  const { facts } = productIn(
    page(`${buy}<script type="application/json">${JSON.stringify({ product })}</script>`),
  )
  expect(facts.offers).toMatchObject({ kind: 'many', low: '40', high: '60.5', currency: 'CHF' })
})

it('cents of one shop system are not made of another’s amounts', () => {
  const whole = { ...cup, variants: [{ sku: 'CUP-1' }], price: money('9500') }
  expect(productIn(page(`${buy}${assigned(whole)}`)).facts.offers).toMatchObject({ price: '9500' })
})
