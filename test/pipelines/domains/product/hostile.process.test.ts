/**
 * Pages that are made to be expensive. Each ends in a product or in a named refusal. The bench measures the memory
 * that it takes.
 */
import { describe, expect, it } from 'vitest'
import { readMarkup } from '../../../../pipelines/domains/product/markup.ts'
import { block, cup, page, productIn, read } from './pages.ts'

const json = JSON.stringify(cup)
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const hostile: readonly [what: string, html: () => string][] = [
  [
    '100,000 blocks of JSON-LD',
    () => page('', { head: block(cup) + block('{"@type":"Product"}').repeat(100_000) }),
  ],
  [
    '10 MB of JSON-LD',
    () =>
      page('', { head: block(cup) + block(`[${'{"@type":"Product","name":"x"},'.repeat(330_000)}${json}]`) }),
  ],
  [
    'JSON-LD a million brackets deep',
    () => page('', { head: block(cup) + block(`{"@type":"Product","x":${nested('[', ']', 1_000_000)}}`) }),
  ],
  [
    'JSON-LD 100,000 objects deep',
    () => page('', { head: block(cup) + block(`${'{"product":'.repeat(100_000)}1${'}'.repeat(100_000)}`) }),
  ],
  [
    'JSON-LD 100,000 objects deep without an end',
    () => page('', { head: block(cup) + block('{"product":'.repeat(100_000)) }),
  ],
  [
    'a million things of microdata',
    () =>
      page(
        `${block(cup)}${'<i itemscope>'.repeat(5)}${'<b itemscope itemtype="http://schema.org/Product"></b>'.repeat(1_000_000)}`,
      ),
  ],
  [
    'things of microdata in one another',
    () => page(block(cup) + nested('<div itemscope itemprop="x">', '</div>', 20_000)),
  ],
  ['a million elements deep', () => page(block(cup) + '<div>'.repeat(1_000_000))],
  [
    'a property that borrows from everything',
    () =>
      page(
        `${block(cup)}${'<div itemscope itemref="a b c" id="a"><i id="b" itemprop="x"></i></div>'.repeat(4_000)}`,
      ),
  ],
  ['20,000 prices', () => page(block(cup) + '<b class="price">€ 5.00</b>'.repeat(20_000))],
  ['20,000 buttons', () => page(block(cup) + '<button>Add to cart</button>'.repeat(20_000))],
  ['an attribute of 5 MB', () => page(`${block(cup)}<div class="${'price '.repeat(900_000)}">€ 5.00</div>`)],
  ['a text of 5 MB', () => page(block(cup) + '$1,'.repeat(1_700_000))],
  [
    'a script that never closes its brackets',
    () => page(`${block(cup)}<script>var product = ${'{"price":['.repeat(300_000)}</script>`),
  ],
  [
    '20,000 variants',
    () =>
      page('', {
        head: block({
          ...cup,
          '@type': 'ProductGroup',
          hasVariant: Array.from({ length: 20_000 }, (_, i) => ({
            '@type': 'Product',
            name: `Blue Cup ${i}`,
            offers: cup.offers,
          })),
        }),
      }),
  ],
  ['a heading of 1 MB', () => page(block(cup), { h1: `Blue Cup ${'x '.repeat(500_000)}` })],
  [
    'entities in entities',
    () => page('', { head: block({ ...cup, description: `${'&amp;'.repeat(500_000)}lt;` }) }),
  ],
]

describe('a hostile page', () => {
  it.each(hostile)('of %s still shows its product', (_, html) => {
    expect(productIn(html()).facts.offers).toMatchObject({ price: '12.50' })
  })

  it('with nothing but noise is refused by name', () => {
    expect(read('<'.repeat(1_000_000))).toMatchObject({ nothing: 'not_a_product' })
    expect(read('')).toMatchObject({ nothing: 'not_a_product' })
    expect(read('\u0000\ufffd'.repeat(100_000))).toMatchObject({ nothing: 'not_a_product' })
  })

  it('is cut if it has too many nodes, and the answer says so', () => {
    const html = page(`${block(cup)}${'<i>x</i>'.repeat(300_000)}`)
    expect(readMarkup(html).isCut).toBe(true)
    expect(productIn(html).warnings).toEqual(['page_read_in_part'])
  })

  it('that names its text after members of objects is read as text', () => {
    const html = page(
      `<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Blue Cup</b><b itemprop="__proto__">x</b><b itemprop="constructor">y</b><meta property="__proto__" content="z"></div>${block(cup)}`,
    )
    expect(productIn(html).facts.name).toBe('Blue Cup')
  })
})
