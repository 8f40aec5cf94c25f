import { describe, expect, it } from 'vitest'
import { isChecked } from '../../../../pipelines/domains/product/gtin.ts'
import { block, cup, page, productIn } from './pages.ts'

describe('the check digit of a GTIN', () => {
  it.each([
    '4006381333931',
    '036000291452',
    '96385074',
    '10012345678902',
    '9780306406157',
    '04252614',
    '01234558',
    '01234565',
  ])('of %s is right, and wrong with another digit', gtin => {
    expect(isChecked(gtin)).toBe(true)
    const other = `${gtin.slice(0, 3)}${(Number(gtin[3]) + 1) % 10}${gtin.slice(4)}`
    expect(isChecked(other)).toBe(false)
  })

  it('is wrong: the number is told as declared, and with a warning', () => {
    const read = (gtin13: string) => productIn(page('', { head: block({ ...cup, gtin13 }) }))
    expect(read('4006381333931')).toMatchObject({ facts: { gtin: '4006381333931' }, warnings: [] })
    expect(read('4006381333932')).toMatchObject({
      facts: { gtin: '4006381333932' },
      warnings: ['gtin_check_digit_wrong'],
    })
  })

  it('is wrong in a variant', () => {
    const variants = ['4006381333931', '4006381333939'].map((gtin13, i) => ({
      '@type': 'Product',
      name: `Blue Cup ${i}`,
      sku: `CUP-${i}`,
      gtin13,
      offers: cup.offers,
    }))
    const group = { '@type': 'ProductGroup', name: 'Blue Cup', hasVariant: variants }
    expect(productIn(page('', { head: block(group) })).warnings).toEqual(['gtin_check_digit_wrong'])
  })
})

describe('an ISBN of ten', () => {
  const book = { ...cup, '@type': ['Book', 'Product'] }
  const gtinOf = (more: object, body = '', head = '') =>
    productIn(page(`${body}<button>Add to cart</button>`, { head: block({ ...book, ...more }) + head }))

  it.each([
    ['0306406152', '9780306406157'],
    ['0-306-40615-2', '9780306406157'],
    ['080442957X', '9780804429573'],
    ['9780306406157', '9780306406157'],
  ])('%s is told as the GTIN %s', (isbn, gtin) =>
    expect(gtinOf({ isbn })).toMatchObject({ facts: { gtin }, warnings: [] }),
  )

  it.each([
    ['declared as a GTIN', { gtin: '0306406152' }, ''],
    ['under the label of another number', {}, '<p>EAN: 0306406152</p>'],
  ])('is no GTIN %s', (_, more, body) => expect(gtinOf(more, body).facts.gtin).toBeUndefined())

  const mistyped = '0306406153'
  const variant = { '@type': 'Product', name: 'Blue Cup', isbn: mistyped }
  it.each([
    ['declared', { isbn: mistyped }, '', ''],
    ['declared, though its last digit fits a GTIN', { isbn: '0306406155' }, '', ''],
    ['declared of a variant', { '@type': 'ProductGroup', hasVariant: [variant, variant] }, '', ''],
    ['in a tag', {}, '', `<meta property="book:isbn" content="${mistyped}">`],
    ['under a label', {}, `<p>ISBN: ${mistyped}</p>`, ''],
    ['in a mark', {}, `<span itemprop="isbn">${mistyped}</span>`, ''],
    [
      'in a script',
      {},
      `<script>var product = {"name":"Blue Cup","price":"12.50","isbn":"${mistyped}"}</script>`,
      '',
    ],
  ])('with a mistyped digit is not told, and warned of: %s', (_, more, body, head) => {
    const { facts, by, warnings } = gtinOf(more, body, head)
    expect(warnings).toEqual(['gtin_check_digit_wrong'])
    expect([facts.gtin, by.get('gtin')]).toEqual([undefined, undefined])
    expect(JSON.stringify(facts)).not.toContain('"gtin"')
  })

  it('with a mistyped digit hides no right one, and is no warning beside it', () => {
    const { facts, warnings } = gtinOf(
      { isbn: mistyped },
      `<p>ISBN-10: ${mistyped}</p><p>EAN: 9780306406157</p>`,
    )
    expect([facts.gtin, warnings]).toEqual(['9780306406157', []])
  })

  it('is read from tags, labels, marks and scripts', () => {
    const gtin = '9780306406157'
    expect(gtinOf({}, '', '<meta property="book:isbn" content="0306406152">').facts.gtin).toBe(gtin)
    expect(gtinOf({}, '<p>ISBN-10: 0-306-40615-2</p>').facts.gtin).toBe(gtin)
    expect(gtinOf({}, '<span itemprop="isbn">0306406152</span>').facts.gtin).toBe(gtin)
    const state = `<script>var product = ${JSON.stringify({ name: 'Blue Cup', price: '24.50', isbn: '0306406152' })}</script>`
    expect(gtinOf({}, state).facts.gtin).toBe(gtin)
  })
})

describe('a printed code beside a declared one', () => {
  const told = (body: string, more: object = {}) =>
    productIn(page(`${body}<button>Add to cart</button>`, { head: block({ ...cup, ...more }) }))

  it('is told with the declared one, and which is which', () => {
    const { facts, by, warnings } = told('<p>Product code: 83810610</p><p>Model number: PB-7</p>', {
      mpn: 'P-7',
    })
    expect(facts).toMatchObject({ sku: 'CUP-48213', mpn: 'P-7', printed: { sku: '83810610', mpn: 'PB-7' } })
    expect([by.get('sku'), by.get('mpn'), warnings]).toEqual([
      'declared',
      'declared',
      ['declared_code_differs_from_page'],
    ])
  })

  it.each([
    ['equal', '<p>SKU: CUP-48213</p>', {}],
    ['equal but for its signs', '<p>SKU: cup 48213</p><p>SKU: CUP.48213</p>', {}],
    ['equal but for zeros', '<p>EAN: 04006381333931</p>', { gtin13: '4006381333931' }],
    ['under the label of another kind', '<p>Item no: 83810610</p>', { mpn: '83810610' }],
    ['beside one that agrees', '<p>SKU: CUP-48213</p><p>Item no: 83810610</p>', {}],
    ['of a neighbour', '<section class="related"><p>SKU: PLATE-9</p></section>', {}],
  ])('is none where it is %s', (_, body, more) => {
    const { facts, warnings } = told(body, more)
    expect([facts.printed, warnings]).toEqual([undefined, []])
  })

  it('is the code where none is declared', () => {
    const { facts } = told('<p>Product code: 83810610</p>', { sku: undefined })
    expect([facts.sku, facts.printed]).toEqual(['83810610', undefined])
  })
})

describe('a label of several words for one thing', () => {
  const read = (label: string, value: string) => {
    const { sku, mpn, gtin, brand } = productIn(
      page(`<p>${label}: ${value}</p><b class="price">€9.00</b><button>Add to cart</button>`),
    ).facts
    return { sku, mpn, gtin, brand }
  }
  it.each([
    ['Make/Manufacturer', 'Potter', 'brand'],
    ['Brand & Manufacturer', 'Potter', 'brand'],
    ['Marke / Hersteller', 'Potter', 'brand'],
    ['Marque ou fabricant', 'Potter', 'brand'],
    ['SKU / Item No', 'CUP-991', 'sku'],
    ['Part/Model number', 'PB-71', 'mpn'],
    ['MPN or part no', 'PB-71', 'mpn'],
    ['EAN/UPC', '4006381333931', 'gtin'],
    ['Manufacturer part number', 'PB-71', 'mpn'],
    ['Manufacturer SKU', 'PB-71', 'mpn'],
    ['GTIN (EAN)', '4006381333931', 'gtin'],
    ['OEM number (MPN)', 'PB-71', 'mpn'],
  ] as const)('%s', (label, value, kind) => expect(read(label, value)[kind]).toBe(value))

  it.each([
    ['Brand / Model', 'Potter 71'],
    ['Colour/Code', 'red 71'],
    ['SKU and weight', 'CUP-991'],
  ])('is none where its words mean several things: %s', (label, value) => {
    expect(Object.values(read(label, value))).not.toContain(value)
  })
})
