import { describe, expect, it } from 'vitest'
import { block, cup as cupDeclared, page, productIn } from './pages.ts'

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

describe('JSON under a name that says nothing', () => {
  const price = '<b class="price">€12.50</b>'
  const script = (text: string) => `<script>${text}</script>`
  const json = (name: string, value: unknown) => script(`${name} = ${JSON.stringify(value)}`)
  const other = {
    price: '99.00',
    currency: 'EUR',
    sku: 'PRO-1',
    brand: 'Zed',
    mpn: 'M-1',
    gtin: '4006381333931',
  }
  const queried = { ...cup, handle: 'blue-cup' }
  const cheap = { minVariantPrice: money('12.5'), maxVariantPrice: money('12.5') }
  const seen = '<del>€99.00</del><aside>€95.00</aside>'

  it.each<[string, string]>([
    ['a recommended product', json('window.rec', { items: [{ name: 'Blue Cup Pro', ...other }] })],
    ['a product of that name elsewhere', json('var wish', { name: 'Blue Cup', a: 1, b: 2, ...other })],
    ['a queried product of another name', json('var rec', { ...queried, title: 'Blue Cup Pro' })],
    ['a queried product with another price', json('var wish', queried)],
    [
      'one of a list of queried products',
      json('var rec', [
        { ...queried, priceRange: cheap },
        { ...queried, title: 'Plate' },
      ]),
    ],
    [
      'one of a connection of queried products',
      json('var rec', {
        edges: [{ node: { ...queried, priceRange: cheap } }, { node: { ...queried, title: 'Plate' } }],
      }),
    ],
    [
      'queried products that differ',
      json('var one', { ...queried, priceRange: cheap }) +
        json('var two', { ...queried, priceRange: cheap, vendor: 'Zed' }),
    ],
    [
      'a queried product in another currency',
      json('var rec', { ...queried, priceRange: { minVariantPrice: money('12.5', 'SEK') } }),
    ],
  ])('is not believed: %s', (_, scripts) => {
    const told = (html: string) => {
      const { facts, warnings } = productIn(page(`${price}${buy}${seen}${html}`))
      return { facts, warnings }
    }
    expect(told(scripts)).toEqual(told(''))
    const declared = { ...cupDeclared, sku: undefined, brand: undefined }
    const beside = (html: string) =>
      productIn(page(`${price}${buy}${seen}${html}`, { head: block(declared) }))
    expect(beside(scripts)).toEqual(beside(''))
  })

  it('does not beat data under a known name, and adds to it', () => {
    const known = json('var product', { name: 'Blue Cup', price: '12.50', currency: 'EUR', sku: 'OWN-1' })
    const unknown = json('var x', { ...queried, priceRange: cheap })
    expect(productIn(page(`${price}${buy}${unknown}${known}`)).facts).toMatchObject({
      sku: 'OWN-1',
      brand: 'Potter',
      offers: { price: '12.50' },
    })
  })

  it('does not crowd out data under a known name', () => {
    const many = Array.from({ length: 40 }, (_, i) => `c${i} = {"price":"${i}","currencyCode":"EUR"};`).join(
      '',
    )
    const known = `__INITIAL_STATE__ = ${JSON.stringify({ product: { name: 'Blue Cup', price: '12.50', sku: 'OWN-1' } })}`
    expect(productIn(page(`${price}${buy}${script(many + known)}`)).facts.sku).toBe('OWN-1')
  })
})

it('data under a known name needs no price', () => {
  const data = JSON.stringify([{ product: { name: 'Blue Cup', sku: 'OWN-1', brand: 'Potter' } }])
  const { facts } = productIn(
    page(`<b class="price">€12.50</b>${buy}<script>dataLayer = ${data}; var at = 'price'</script>`),
  )
  expect(facts).toMatchObject({ sku: 'OWN-1', brand: 'Potter' })
})
