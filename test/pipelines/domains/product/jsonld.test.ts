import { describe, expect, it } from 'vitest'
import { block, cup, page, productIn, read } from './pages.ts'

const text = JSON.stringify(cup)
const pretty = JSON.stringify(cup, null, 2)

/** The mistakes of shops in JSON. The name and the price are still readable. */
const broken: readonly [kind: string, json: string][] = [
  ['in an HTML comment', `<!-- ${text} -->`],
  ['in CDATA', `<![CDATA[${text}]]>`],
  ['in CDATA behind comments of a script', `//<![CDATA[\n${text}\n//]]>`],
  ['in CDATA in comments of CSS', `/*<![CDATA[*/${text}/*]]>*/`],
  ['with a semicolon at the end', `${text};`],
  ['with a byte order mark', `\ufeff${text}`],
  ['with trailing commas', pretty.replace(/\n\}$/, ',\n}').replace(/"InStock"/, '"InStock",')],
  ['with a comma after the last property', text.replace(/\}$/, ',}')],
  ['with two commas in a row', text.replace('"sku"', ',"sku"')],
  [
    'with commas in a row in each place',
    text.replaceAll(',', ' ,\n, ,').replaceAll('{', '{,').replaceAll('}', ',}'),
  ],
  ['with values that are missing', text.replace('{', '{"gtin": , "mpn":,').replace(/\}$/, ',"weight":}')],
  [
    'with commas in a row and a text that holds some',
    text.replace('"sku"', ',"description":"a,, b: , \\",}","sku"'),
  ],
  [
    'with commas in a row and a raw line break',
    text.replace('"sku"', ',"sku"').replace('Blue Cup', 'Blue\nCup'),
  ],
  ['with a raw line break in a string', text.replace('Blue Cup', 'Blue\nCup')],
  ['with a raw tab in a string', text.replace('Blue Cup', 'Blue\tCup')],
  ['with a control character in a string', text.replace('Blue Cup', 'Blue\u0002 Cup')],
  ['with several objects in a row', `{"@type":"Organization","name":"Shop"}${text}`],
  ['with several objects and commas between', `{"@type":"Organization","name":"Shop"},\n${text}`],
  ['with HTML entities', text.replaceAll('"', '&quot;')],
  ['in a list', `[${text}]`],
  ['in a list in a list', `[[${text}]]`],
  [
    'in a graph',
    JSON.stringify({ '@context': 'https://schema.org', '@graph': [{ '@type': 'WebPage' }, cup] }),
  ],
  ['under mainEntity', JSON.stringify({ '@type': 'WebPage', mainEntity: cup })],
  ['under mainEntity of a list of pages', JSON.stringify([{ '@type': 'ItemPage', mainEntity: [cup] }])],
  ['with a list of types', JSON.stringify({ ...cup, '@type': ['Product', 'Thing'] })],
  ['with its type in lower case', JSON.stringify({ ...cup, '@type': 'product' })],
  ['with its type as a URL', JSON.stringify({ ...cup, '@type': 'http://schema.org/Product' })],
  ['with a prefix before its type', JSON.stringify({ ...cup, '@type': 'schema:Product' })],
  [
    'with prefixes before its properties',
    text.replaceAll('"name"', '"schema:name"').replace('"offers"', '"schema:offers"'),
  ],
  ['with names in another case', text.replace('"name"', '"Name"').replace('"price"', '"Price"')],
  [
    'with an offer that another thing of the graph is',
    JSON.stringify({
      '@graph': [
        { ...cup, offers: { '@id': '#offer' } },
        { '@id': '#offer', ...cup.offers },
      ],
    }),
  ],
  ['without its last bracket', text.replace(/\}$/, '')],
  ['in single quotes', text.replaceAll('"', "'")],
  ['with a comment in it', text.replace('{', '{ /* the product */ ')],
]

describe('JSON-LD', () => {
  it.each(broken)('%s is read', (_, json) => {
    const { facts, by } = productIn(page('', { head: block(json) }))
    expect(facts.name?.replace(/\s+/g, ' ')).toBe('Blue Cup')
    expect(facts.offers).toMatchObject({
      kind: 'one',
      price: '12.50',
      currency: 'EUR',
      availability: 'InStock',
    })
    expect([by.get('name'), by.get('offers.price'), by.get('brand.name')]).toEqual([
      'declared',
      'declared',
      'declared',
    ])
  })

  it('keeps every digit of a number', () => {
    const { facts } = productIn(page('', { head: block(text.replace('"12.50"', '12.50')) }))
    expect(facts.offers).toMatchObject({ price: '12.50' })
  })

  it('is never run', () => {
    const evil = `(function(){ globalThis.hit = true; return ${text} })()`
    read(page('<button>Add to cart</button> <b class="price">€ 3.00</b>', { head: block(evil) }))
    expect(globalThis).not.toHaveProperty('hit')
  })

  it('cannot change a prototype', () => {
    const json = text.replace(
      '{',
      '{"__proto__":{"name":"Evil","polluted":true},"constructor":{"prototype":{"polluted":true}},',
    )
    const { facts } = productIn(page('', { head: block(json) }))
    expect(facts.name).toBe('Blue Cup')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('may contain itself', () => {
    const graph = [
      { '@id': '#a', ...cup, isVariantOf: { '@id': '#b' } },
      {
        '@id': '#b',
        '@type': 'ProductGroup',
        name: 'Cups',
        hasVariant: [{ '@id': '#a' }],
        isVariantOf: { '@id': '#b' },
      },
    ]
    const { facts } = productIn(page('', { head: block({ '@graph': graph }) }))
    expect(facts.offers).toMatchObject({ price: '12.50' })
  })
})
