import { describe, expect, it } from 'vitest'
import { block, cup, cupUrl, page, productIn, read } from './pages.ts'

const buy = '<button>Add to cart</button>'

describe('a declared product', () => {
  it('in microdata', () => {
    const { facts, by } = productIn(
      page(
        `<div itemscope itemtype="http://schema.org/Product"><span itemprop="name">Blue Cup</span>
        <meta itemprop="sku" content="C-1"><span itemprop="brand" itemscope itemtype="http://schema.org/Brand"><b itemprop="name">Potter</b></span>
        <div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span itemprop="price">12,50 €</span>
        <link itemprop="availability" href="http://schema.org/LimitedAvailability"></div></div>`,
        { lang: 'de' },
      ),
    )
    expect(facts).toMatchObject({
      name: 'Blue Cup',
      sku: 'C-1',
      brand: 'Potter',
      offers: { price: '12.50', currency: 'EUR', availability: 'LimitedAvailability' },
    })
    expect(by.get('offers.price')).toBe('declared')
  })

  it('in microdata with properties at another place', () => {
    const { facts } = productIn(
      page(`<div itemscope itemtype="https://schema.org/Product" itemref="more"><span itemprop="name">Blue Cup</span></div>
        <div id="more"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="9.90"></div><i itemprop="sku">X-77</i></div>`),
    )
    expect(facts).toMatchObject({ sku: 'X-77' })
  })

  it('in RDFa', () => {
    const { facts, by } = productIn(
      page(`<div vocab="https://schema.org/" typeof="Product"><span property="name">Blue Cup</span>
        <div property="offers" typeof="Offer"><span property="price" content="12.50">twelve</span><meta property="priceCurrency" content="EUR"></div></div>`),
    )
    expect(facts).toMatchObject({ name: 'Blue Cup', offers: { price: '12.50', currency: 'EUR' } })
    expect(by.get('offers.price')).toBe('declared')
  })

  it('in meta tags', () => {
    const head =
      '<meta property="product:price:amount" content="12.50"><meta property="product:price:currency" content="EUR"><meta property="product:availability" content="in stock"><meta property="product:brand" content="Potter">'
    const { facts, by } = productIn(page('', { head }))
    expect(facts).toMatchObject({
      brand: 'Potter',
      offers: { price: '12.50', currency: 'EUR', availability: 'InStock' },
    })
    expect(by.get('offers.price')).toBe('declared')
    expect(by.get('name')).toBe('inferred')
  })

  it('in one syntax is completed by the next, and never overruled', () => {
    const { offers, ...bare } = cup
    const { facts, by } = productIn(
      page(
        `<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Blue Cup</b><b itemprop="color">blue</b></div>${buy}<b class="price">€14.00</b>`,
        {
          head: `${block(bare)}<meta property="og:price:amount" content="12.50">`,
        },
      ),
    )
    expect(offers.price).toBe('12.50')
    expect(facts).toMatchObject({
      sku: 'CUP-48213',
      color: 'blue',
      offers: { price: '12.50', currency: 'EUR' },
    })
    expect([by.get('color'), by.get('offers.price'), by.get('offers.priceCurrency')]).toEqual([
      'declared',
      'declared',
      'inferred',
    ])
  })
})

describe('two declarations of one product', () => {
  const auction = (tag: string, shown: string) =>
    page(
      `<div itemprop="offers"><span class="price current">${shown}</span></div><div>Starting price €12.50</div>${buy}`,
      { head: `${block(cup)}<meta property="product:price:amount" content="${tag}">` },
    )

  it('with different prices: the visible one is right, and the buyer is warned', () => {
    const { facts, by, warnings } = productIn(auction('40.00', '€40.00'))
    expect(facts.offers).toMatchObject({ price: '40.00', currency: 'EUR', availability: 'InStock' })
    expect([by.get('offers.price'), warnings]).toEqual(['declared', ['declared_prices_differ']])
  })

  it.each([
    ['its data', auction('40.00', '€12.50')],
    ['neither', auction('40.00', '€39.00')],
    ['nothing', page('', { head: `${block(cup)}<meta property="product:price:amount" content="40.00">` })],
  ])('with different prices, if the page shows %s: the data come first', (_, html) => {
    expect(productIn(html).facts.offers).toMatchObject({ price: '12.50' })
  })

  it('in one element: an id is returned in its visible form, unless the text is another one', () => {
    const skuOf = (shown: string) =>
      productIn(
        page(`<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Blue Cup</b>
          <span itemprop="sku" content="4667999">${shown}</span></div>${buy}`),
      ).facts.sku
    expect(['466/7999', 'Product code', ''].map(skuOf)).toEqual(['466/7999', '4667999', '4667999'])
  })
})

describe("the page's own product", () => {
  const other = {
    ...cup,
    name: 'Red Plate',
    sku: 'PLATE-9',
    url: 'https://shop.example.com/plates/red-plate-99',
  }

  it('is found by the canonical URL', () => {
    const head = `<link rel="canonical" href="${cupUrl}">${block([other, { ...cup, url: cupUrl }])}`
    expect(productIn(page('', { head, h1: 'Welcome', title: 'Shop' })).facts.name).toBe('Blue Cup')
  })

  it('is found by the heading', () => {
    expect(productIn(page('', { head: block([other, cup]) })).facts.sku).toBe('CUP-48213')
  })

  it.each(['isRelatedTo', 'isSimilarTo', 'isAccessoryOrSparePartFor', 'review'])(
    'is never one under %s',
    name => {
      const { facts } = productIn(page('', { head: block({ ...cup, offers: undefined, [name]: [other] }) }))
      expect([facts.name, facts.offers]).toEqual(['Blue Cup', undefined])
    },
  )

  it('is not in a list', () => {
    const list = {
      '@type': 'ItemList',
      itemListElement: [cup, other].map((item, i) => ({ '@type': 'ListItem', position: i, item })),
    }
    expect(
      read(page('', { head: block(list), h1: 'All cups', title: 'Cups' }), 'https://shop.example.com/cups'),
    ).toMatchObject({
      nothing: 'several_products',
      message: expect.stringContaining('2 products'),
    })
  })

  it('is not among many with the same declaration', () => {
    const many = Array.from({ length: 7 }, (_, i) => ({
      ...cup,
      name: `Thing ${'abcdefg'[i]}${i}`,
      sku: `T-${i}`,
    }))
    expect(
      read(page('', { head: block(many), h1: 'Sale', title: 'Sale' }), 'https://shop.example.com/sale'),
    ).toMatchObject({
      nothing: 'several_products',
      message: expect.stringContaining('7 products'),
    })
  })

  it('is not there if the page shows none', () => {
    expect(
      read(
        page('<p>We have been making pottery since 1950.</p>', { title: 'About us', h1: 'About us' }),
        'https://shop.example.com/about',
      ),
    ).toMatchObject({
      nothing: 'not_a_product',
    })
  })
})

describe('variants', () => {
  const variant = (size: string, price: string, sku: string, more: object = {}) => ({
    '@type': 'Product',
    name: `Shoe ${size}`,
    sku,
    size,
    image: `https://cdn.example.com/shoe-${sku}.jpg`,
    offers: {
      '@type': 'Offer',
      price,
      priceCurrency: 'USD',
      availability: 'OutOfStock',
      url: `https://shop.example.com/shoe?variant=${sku}`,
    },
    ...more,
  })
  const group = {
    '@context': 'https://schema.org/',
    '@type': 'ProductGroup',
    name: 'Shoe',
    description: 'A shoe.',
    brand: 'Maker',
    productGroupID: 'G-1',
    variesBy: ['https://schema.org/size'],
    hasVariant: [
      variant('40', '70.00', '4001'),
      variant('41', '75.50', '4101', {
        offers: { '@type': 'Offer', price: 75.5, priceCurrency: 'USD', availability: 'InStock' },
      }),
    ],
  }
  const shoe = (url: string) => productIn(page('', { head: block(group), h1: 'Shoe', title: 'Shoe' }), url)

  it('are summed up if the URL names none', () => {
    const { facts } = shoe('https://shop.example.com/shoe')
    expect(facts.offers).toEqual({
      kind: 'many',
      low: '70.00',
      high: '75.5',
      currency: 'USD',
      count: '2',
      availability: 'InStock',
    })
    expect(facts.sku).toBeUndefined()
    expect(facts.images).toEqual([
      'https://cdn.example.com/shoe-4001.jpg',
      'https://cdn.example.com/shoe-4101.jpg',
    ])
    expect(facts.group).toMatchObject({ id: 'G-1', variesBy: ['https://schema.org/size'], isCut: false })
    expect(facts.group?.variants.map(({ sku }) => sku)).toEqual(['4001', '4101'])
  })

  it.each(['https://shop.example.com/shoe?variant=4001', 'https://shop.example.com/shoe?sku=4001'])(
    '%s names one',
    url => {
      const { facts } = shoe(url)
      expect(facts).toMatchObject({
        sku: '4001',
        size: '40',
        brand: 'Maker',
        offers: { price: '70.00', availability: 'OutOfStock' },
      })
      expect(facts.images).toEqual(['https://cdn.example.com/shoe-4001.jpg'])
      expect(facts.group?.variants).toHaveLength(2)
    },
  )

  it('get missing fields from their group', () => {
    const single = {
      ...variant('40', '70.00', '4001'),
      name: undefined,
      isVariantOf: { ...group, hasVariant: undefined },
    }
    const { facts } = productIn(
      page('', { head: block(single), h1: 'Shoe', title: 'Shoe' }),
      'https://shop.example.com/shoe',
    )
    expect(facts).toMatchObject({ name: 'Shoe', brand: 'Maker', description: 'A shoe.', sku: '4001' })
  })

  it('with one name, declared next to each other, are one product', () => {
    const sizes = ['35', '36'].map(size => ({ ...variant(size, '69.95', `8-${size}`), name: 'Boot' }))
    const { facts } = productIn(
      page('', { head: block(sizes), h1: 'Boot', title: 'Boot' }),
      'https://shop.example.com/boot',
    )
    expect(facts.offers).toMatchObject({ kind: 'one', price: '69.95' })
    expect(facts.group?.variants).toHaveLength(2)
  })

  it('are at most sixty', () => {
    const many = {
      ...group,
      hasVariant: Array.from({ length: 80 }, (_, i) => variant(String(i), '5.00', `s${i}`)),
    }
    const { facts } = productIn(
      page('', { head: block(many), h1: 'Shoe', title: 'Shoe' }),
      'https://shop.example.com/shoe',
    )
    expect([facts.group?.variants.length, facts.group?.isCut]).toEqual([60, true])
  })
})

describe('offers', () => {
  const offering = (offers: unknown) => productIn(page('', { head: block({ ...cup, offers }) })).facts.offers

  it('in stock if any is', () => {
    const at = (availability: string) => ({ '@type': 'Offer', price: 5, priceCurrency: 'EUR', availability })
    expect(offering([at('http://schema.org/OutOfStock'), at('https://schema.org/InStock')])).toMatchObject({
      kind: 'one',
      price: '5',
      availability: 'InStock',
    })
  })

  it.each(['LimitedAvailability', 'PreOrder', 'BackOrder', 'SoldOut'])('keep %s as it is', state => {
    expect(
      offering({ '@type': 'Offer', price: '5', availability: `https://schema.org/${state}` }),
    ).toMatchObject({ availability: state })
  })

  it('of a range', () => {
    expect(
      offering({
        '@type': 'AggregateOffer',
        lowPrice: '5.00',
        highPrice: '9.00',
        priceCurrency: 'EUR',
        offerCount: 3,
      }),
    ).toEqual({
      kind: 'many',
      low: '5.00',
      high: '9.00',
      currency: 'EUR',
      count: '3',
    })
  })

  it('has the range of its own offers if that is wider than the declared one', () => {
    const inner = [{ '@type': 'Offer', price: '5.00', priceCurrency: 'EUR', availability: 'InStock' }]
    expect(
      offering({ '@type': 'AggregateOffer', lowPrice: '5.00', highPrice: '5.00', offers: inner }),
    ).toMatchObject({ kind: 'one', price: '5.00', availability: 'InStock' })
  })

  it.each([
    ['a list price', { priceType: 'https://schema.org/ListPrice' }],
    ['a price that is struck through', { priceType: 'https://schema.org/StrikethroughPrice' }],
    [
      'a price for a kilo',
      {
        '@type': 'UnitPriceSpecification',
        referenceQuantity: { '@type': 'QuantitativeValue', value: 1, unitCode: 'KGM' },
      },
    ],
    ['a price for members', { validForMemberTier: { '@type': 'MemberProgramTier' } }],
    ['a delivery charge', { '@type': 'DeliveryChargeSpecification' }],
  ])('do not cost %s', (_, more) => {
    const specs = [
      { '@type': 'PriceSpecification', price: '99.00', priceCurrency: 'EUR', ...more },
      { '@type': 'PriceSpecification', price: '80.00', priceCurrency: 'EUR' },
    ]
    expect(offering({ '@type': 'Offer', priceSpecification: specs })).toMatchObject({
      price: '80.00',
      currency: 'EUR',
    })
  })

  it.each(['0', '0.00', 0, ''])('of %j state no price', price => {
    expect(offering({ '@type': 'Offer', price, availability: 'InStock' })).not.toHaveProperty('price')
  })

  it('of zero are free if the page calls its price free, whatever else it sells', () => {
    const addOn = `<section><h2>Gold edition</h2><b class="price">€8.19</b>${buy}</section>`
    const offers = { '@type': 'Offer', price: '0,00', priceCurrency: 'EUR' }
    const priceOf = (body: string) =>
      productIn(page(body + addOn, { head: block({ ...cup, offers }) })).facts.offers
    expect(priceOf('<div class="game price">Free to Play</div>')).toMatchObject({ price: '0.00' })
    expect(priceOf('<p>Free delivery</p><i class="badge">Free</i>')).toMatchObject({ price: '8.19' })
  })

  it('that are free say so in words', () => {
    expect(offering({ '@type': 'Offer', price: 'Free' })).toMatchObject({ price: '0' })
  })
})

describe('a page that declares nothing', () => {
  const shop = (body: string, more: object = {}) =>
    productIn(page(`<div class="product">${body}${buy}</div>`, more))

  it('shows name, price, stock and labels', () => {
    const { facts, by } = shop(
      '<span class="price">$24.50</span> <div class="stock">In stock</div> <dl><dt>SKU:</dt><dd>CUP-48213</dd><dt>Brand</dt><dd>Potter</dd></dl>',
      { lang: 'en-US' },
    )
    expect(facts).toMatchObject({
      name: 'Blue Cup',
      sku: 'CUP-48213',
      brand: 'Potter',
      offers: { price: '24.50', currency: 'USD', availability: 'InStock' },
    })
    expect(new Set(by.values())).toEqual(new Set(['inferred']))
  })

  it('shows the price that is not crossed out', () => {
    const { facts } = shop(
      '<del class="price">€30.00</del> <span class="price sale">€24.50</span> <span class="shipping">Shipping €4.90</span>',
    )
    expect(facts.offers).toMatchObject({ price: '24.50' })
  })

  it('shows its own price, not that of its neighbours', () => {
    const { facts } = productIn(
      page(
        `<span class="price">€24.50</span>${buy}<section class="related"><a href="/other"><b class="price">€1.00</b></a><a href="/third"><b class="price">€1.00</b></a></section>`,
      ),
    )
    expect(facts.offers).toMatchObject({ price: '24.50' })
  })

  it('has its price split over elements, cents raised', () => {
    const { facts } = shop('<div class="price"><span>€</span><span>24</span><sup>50</sup></div>')
    expect(facts.offers).toMatchObject({ price: '24.50', currency: 'EUR' })
  })

  it('is sold out if its button says so', () => {
    const { facts } = productIn(
      page(
        '<div class="product"><span class="price">€24.50</span><div>SKU: C-481</div><button disabled>Sold out</button></div>',
      ),
    )
    expect(facts.offers).toMatchObject({ availability: 'OutOfStock' })
  })

  it.each([
    'class="product-code"',
    'data-testid="product-reference"',
    'data-qa-qualifier="sku"',
    'id="itemNumber"',
  ])('has its id in an element with %s, and not that of a neighbour', named => {
    const { facts } = shop(
      `<section class="related"><i ${named}>999/111</i></section><span class="price">€24.50</span><i ${named}>482/213</i>`,
    )
    expect(facts.sku).toBe('482/213')
  })

  it('has its id in its URL', () => {
    expect(shop('<span class="price">€24.50</span>').facts.sku).toBe('48213')
  })

  it('with cards of others, each with a price, is a list', () => {
    const card = (n: number) =>
      `<li class="card"><a href="/p/${n}"><img src="/${n}.jpg"> Cup ${n}</a><span class="price">€${n}.00</span><button>Add to cart</button></li>`
    const cards = (count: number) =>
      page(`<ul>${Array.from({ length: count }, (_, i) => card(i + 10)).join('')}</ul>`, {
        h1: 'All cups',
        title: 'All cups',
      })
    expect(read(cards(6), 'https://shop.example.com/cups')).toMatchObject({
      nothing: 'several_products',
      message: expect.stringContaining('6 products'),
    })
  })

  it('shows no price if it is sold out and another product has one', () => {
    const body =
      '<div class="stock">Out of stock</div><div>SKU: CUP-48213</div><div>Brand: Potter</div><p>People also like this for €3.00</p>'
    expect(productIn(page(body)).facts.offers).toEqual({ kind: 'one', availability: 'OutOfStock' })
  })

  it('takes no invisible price from its scripts', () => {
    const script = (price: string) => `<script>var product = {"name":"Blue Cup","price":${price}}</script>`
    expect(shop(`<span class="price">€24.50</span>${script('2450')}`).facts.offers).toMatchObject({
      price: '24.5',
    })
    expect(shop(`<span class="price">€24.50</span>${script('99')}`).facts.offers).toMatchObject({
      price: '24.50',
    })
  })

  it('keeps its state in a script', () => {
    const { facts } = shop(
      '<script>window.__INITIAL_STATE__ = {"product":{"name":"Blue Cup","price":24.5,"currency":"EUR","sku":"S-9","brand":{"name":"Potter"},"inStock":false}}</script>',
    )
    expect(facts).toMatchObject({
      sku: 'S-9',
      brand: 'Potter',
      offers: { price: '24.5', currency: 'EUR', availability: 'OutOfStock' },
    })
  })

  it('of Shopify keeps cents', () => {
    const { facts } = shop(
      '<script>var meta = {"product":{"id":1,"title":"Blue Cup","vendor":"Potter","price":2450,"variants":[{"id":2,"price":2450,"sku":"V-1"}]}};</script>',
    )
    expect(facts).toMatchObject({ sku: 'V-1', offers: { price: '24.5' } })
  })
})

describe('warnings', () => {
  const warningsOf = (html: string) => productIn(html).warnings

  it('warn of a page that shows another price than it declares', () => {
    const body = `<div class="product-price"><span class="price current" itemprop="price">€9.99</span></div>${buy}`
    expect(warningsOf(page(body, { head: block(cup) }))).toEqual(['declared_price_differs_from_page'])
  })

  it('give no warning if the page also shows the declared price', () => {
    const body = `<b class="price">€9.99</b><b class="price">€12.50</b>${buy}<b class="price">€9.99</b>`
    expect(warningsOf(page(body, { head: block(cup) }))).toEqual([])
  })

  it('warn of an expired price', () => {
    const offers = { ...cup.offers, priceValidUntil: '2024-12-31' }
    expect(warningsOf(page('', { head: block({ ...cup, offers }) }))).toEqual(['price_valid_until_past'])
  })

  it('warn if only a sign names the currency', () => {
    expect(warningsOf(page(`<b class="price">€9.99</b>${buy}`))).toEqual(['currency_from_symbol'])
  })

  it('warn if a sign could mean several currencies', () => {
    const { facts, warnings } = productIn(page(`<b class="price">$9.99</b>${buy}`))
    expect([facts.offers, warnings]).toEqual([
      { kind: 'one', price: '9.99', availability: 'InStock' },
      ['currency_unclear'],
    ])
  })
})

describe('images', () => {
  it('are absolute, each once, and at most five', () => {
    const image = [
      '/a.jpg',
      'data:image/png;base64,AA',
      'javascript:alert(1)',
      'https://c.example/p_100x100.jpg',
      'https://c.example/p_800x800.jpg',
      'https://c.example/pixel.gif',
      ...[1, 2, 3, 4, 5, 6].map(i => `https://c.example/${i}.jpg`),
    ]
    expect(productIn(page('', { head: block({ ...cup, image }) })).facts.images).toEqual([
      'https://c.example/p_100x100.jpg',
      ...[1, 2, 3, 4].map(i => `https://c.example/${i}.jpg`),
    ])
  })
})

describe('a page that sends its reader to another one', () => {
  it('names the other page', () => {
    const html = page('', { head: `<meta http-equiv="refresh" content="0; url=/other">${block(cup)}` })
    expect(read(html).refresh).toBe('https://shop.example.com/other')
    expect(
      read(page('', { head: `<meta http-equiv="refresh" content="300">${block(cup)}` })).refresh,
    ).toBeUndefined()
  })
})
