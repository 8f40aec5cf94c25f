import { describe, expect, it } from 'vitest'
import { block, cup, page, productIn } from './pages.ts'

const offer = (price: string, priceCurrency: string, more: object = {}) => ({
  '@type': 'Offer',
  price,
  priceCurrency,
  availability: 'https://schema.org/InStock',
  ...more,
})
const three = [offer('80', 'GBP'), offer('95', 'EUR'), offer('100', 'USD')]
const declaring = (product: object, body = '', head = '') =>
  productIn(page(body, { head: block({ ...cup, ...product }) + head }))

describe('prices in several currencies', () => {
  it('are no range: the first counts, and a warning says so', () => {
    const { facts, warnings } = declaring({ offers: three })
    expect(facts.offers).toMatchObject({ kind: 'one', price: '80', currency: 'GBP', availability: 'InStock' })
    expect(warnings).toEqual(['prices_in_several_currencies'])
  })

  it.each([
    ['that the page shows', '<b class="price">€95.00</b><button>Add to cart</button>', ''],
    ['of the price tags', '', '<meta property="product:price:currency" content="EUR">'],
  ])('the one counts %s', (_, body, head) => {
    const { facts, warnings } = declaring({ offers: three }, body, head)
    expect(facts.offers).toMatchObject({ kind: 'one', price: '95', currency: 'EUR' })
    expect(warnings).toEqual(['prices_in_several_currencies'])
  })

  it('are a range within one of them', () => {
    const { facts } = declaring({ offers: [...three, offer('70', 'GBP'), offer('1', 'USD')] })
    expect(facts.offers).toMatchObject({ kind: 'many', low: '70', high: '80', currency: 'GBP', count: '2' })
  })

  it('of variants, of ranges and of specifications are told apart too', () => {
    const tag = '<meta property="product:price:currency" content="USD">'
    const variants = three.map((offers, i) => ({ '@type': 'Product', name: `Blue Cup ${i}`, offers }))
    const ranges = three.map(({ price, priceCurrency }) => ({
      '@type': 'AggregateOffer',
      lowPrice: price,
      highPrice: '200',
      priceCurrency,
    }))
    const priceSpecification = three.map(each => ({ ...each, '@type': 'UnitPriceSpecification' }))
    const group = { '@type': 'ProductGroup', offers: undefined, hasVariant: variants }
    expect(declaring(group, '', tag).facts.offers).toMatchObject({ price: '100', currency: 'USD' })
    expect(declaring({ offers: ranges }, '', tag).facts.offers).toMatchObject({ low: '100', currency: 'USD' })
    const specified = { '@type': 'Offer', priceSpecification }
    expect(declaring({ offers: specified }, '', tag).facts.offers).toMatchObject({
      price: '100',
      currency: 'USD',
    })
  })

  it('in one currency are what they were', () => {
    const { facts, warnings } = declaring({ offers: [offer('80', 'EUR'), offer('95', 'EUR')] })
    expect(facts.offers).toMatchObject({ kind: 'many', low: '80', high: '95', currency: 'EUR', count: '2' })
    expect(warnings).toEqual([])
  })
})

describe('the least and the greatest price of a specification', () => {
  const between = (minPrice?: string, maxPrice?: string, price?: string) =>
    declaring({
      offers: {
        '@type': 'Offer',
        priceCurrency: 'USD',
        ...(price && { price }),
        priceSpecification: {
          '@type': 'PriceSpecification',
          priceCurrency: 'USD',
          ...(minPrice && { minPrice }),
          ...(maxPrice && { maxPrice }),
        },
      },
    }).facts.offers

  it('are a range, also where the least stands as the price', () => {
    const range = { kind: 'many', low: '10.00', high: '24.00', currency: 'USD' }
    expect(between('10.00', '24.00')).toEqual(range)
    expect(between('10.00', '24.00', '10.00')).toEqual(range)
  })

  it('are one price where they are equal, or where the price is another one', () => {
    expect(between('10.00', '10')).toMatchObject({ kind: 'one', price: '10.00', currency: 'USD' })
    expect(between('10.00', '24.00', '12.00')).toMatchObject({ kind: 'one', price: '12.00' })
  })

  it('alone is no price', () => {
    expect(between('10.00')).toEqual({ kind: 'many', low: '10.00', currency: 'USD' })
    expect(between(undefined, '24.00')).toEqual({ kind: 'many', high: '24.00', currency: 'USD' })
  })

  it('are read in microdata', () => {
    const { facts } = productIn(
      page(`<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Blue Cup</b>
        <div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="priceCurrency" content="GBP">
        <div itemprop="priceSpecification" itemscope itemtype="http://schema.org/PriceSpecification">
        <meta itemprop="minPrice" content="12"><meta itemprop="maxPrice" content="18"></div></div></div>`),
    )
    expect(facts.offers).toEqual({ kind: 'many', low: '12', high: '18', currency: 'GBP' })
  })
})

describe('the least and the greatest price that an offer states of itself', () => {
  const limits = { '@type': 'AggregateOffer', priceCurrency: 'USD', minPrice: '10', maxPrice: '20.5' }
  it.each([
    ['are a range', limits, { kind: 'many', low: '10', high: '20.5', currency: 'USD' }],
    ['are a range with its count', { ...limits, offerCount: 3 }, { kind: 'many', low: '10', count: '3' }],
    ['are a range without the greatest', { ...limits, maxPrice: undefined }, { kind: 'many', low: '10' }],
    ['are a range without the least', { ...limits, minPrice: undefined }, { kind: 'many', high: '20.5' }],
    [
      'are a range of an offer, too',
      { ...limits, '@type': 'Offer' },
      { kind: 'many', low: '10', high: '20.5' },
    ],
    ['are one price where they are equal', { ...limits, maxPrice: '10.00' }, { kind: 'one', price: '10' }],
    [
      'give way to the limits of the standard',
      { ...limits, lowPrice: '11', highPrice: '12' },
      { low: '11', high: '12' },
    ],
    ['give way to a price', { ...limits, '@type': 'Offer', price: '15' }, { kind: 'one', price: '15' }],
  ])('%s', (_, offers, told) => {
    const { facts } = declaring({ offers })
    expect(facts.offers).toMatchObject(told)
    if (facts.offers?.kind === 'many') expect(facts.offers).not.toHaveProperty('price')
  })
})

describe('a price and the one before it, declared as a range', () => {
  const offers = { '@type': 'AggregateOffer', priceCurrency: 'GBP', lowPrice: '42.00', highPrice: '60.00' }
  const shown = (high: string, more: object = {}, from = '') =>
    declaring(
      { offers: { ...offers, ...more } },
      `<h1>Blue Cup</h1><div class="price"><b class="sale-price">${from}£42.00</b> ${high}</div><button>Add to cart</button>`,
    ).facts.offers

  it.each([
    ['crossed out', '<s>£60.00</s>'],
    ['named so', '<span class="standardprice">£60.00</span>'],
  ])('are one price, where the page shows the higher one %s', (_, high) =>
    expect(shown(high)).toMatchObject({ kind: 'one', price: '42.00', currency: 'GBP' }),
  )

  it.each([
    ['beside it', '- <span>£60.00</span>'],
    ['both ways', '- <span>£60.00</span> <s>£60.00</s>'],
    ['not', ''],
    ['as the past of a neighbour', '</div><aside><s>£60.00</s></aside><div>'],
    ['far away', `</div>${'<p>Glazed</p>'.repeat(60)}<s>£60.00</s><div>`],
  ])('are a range, where the page shows it %s', (_, high) =>
    expect(shown(high)).toMatchObject({ kind: 'many', low: '42.00', high: '60.00' }),
  )

  it.each<[string, object, string]>([
    ['of several offers', { offerCount: 2 }, ''],
    ['of many offers', { offerCount: '5' }, ''],
    ['that the page begins with its least', {}, 'from '],
  ])('are a range %s, whatever is crossed out', (_, more, from) =>
    expect(shown('was <s>£60.00</s>', more, from)).toMatchObject({
      kind: 'many',
      low: '42.00',
      high: '60.00',
    }),
  )

  it('are a range of variants', () => {
    const hasVariant = ['S', 'L'].map(size => ({ '@type': 'Product', name: 'Blue Cup', size }))
    const html = '<h1>Blue Cup</h1><b class="price">£42.00</b> <s>£60.00</s><button>Add to cart</button>'
    expect(declaring({ '@type': 'ProductGroup', offers, hasVariant }, html).facts.offers).toMatchObject({
      kind: 'many',
      high: '60.00',
    })
  })

  it('are one price of one offer', () =>
    expect(shown('<s>£60.00</s>', { offerCount: 1 })).toMatchObject({ kind: 'one', price: '42.00' }))
})
