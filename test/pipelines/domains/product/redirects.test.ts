import { describe, expect, it } from 'vitest'
import { whyDifferent } from '../../../../pipelines/domains/product/redirects.ts'

const one: readonly [asked: string, final: string, canonical?: string][] = [
  ['http://shop.example.com/p/blue-cup-12345', 'https://shop.example.com/p/blue-cup-12345'],
  ['https://example.com/p/blue-cup', 'https://www.example.com/p/blue-cup'],
  ['https://www.example.com/p/blue-cup', 'https://example.com/p/blue-cup'],
  ['https://example.com/p/blue-cup', 'https://example.com/p/blue-cup/'],
  ['https://example.com/p/blue-cup/', 'https://example.com/p/blue-cup'],
  ['https://example.com/P/Blue-Cup', 'https://example.com/p/blue-cup'],
  ['https://example.com/p/blue-cup', 'https://example.com/en/p/blue-cup'],
  ['https://example.com/p/blue-cup', 'https://example.com/en-gb/p/blue-cup'],
  ['https://example.com/de/p/blue-cup', 'https://example.com/p/blue-cup'],
  ['https://example.com/de/p/blue-cup', 'https://example.com/fr/p/blue-cup'],
  ['https://example.com/us/en/p/blue-cup', 'https://example.com/gb/en/p/blue-cup'],
  ['https://example.com/p/blue-cup?utm_source=mail&utm_medium=x', 'https://example.com/p/blue-cup'],
  ['https://example.com/p/blue-cup?gclid=abc123', 'https://example.com/p/blue-cup'],
  ['https://example.com/p/blue-cup?fbclid=IwAR123456789', 'https://example.com/p/blue-cup?ref=home'],
  ['https://example.com/p/blue-cup-12345', 'https://example.com/p/azure-mug-12345'],
  ['https://example.com/dp/B08FC1R8C9', 'https://example.com/Heater-Fan/dp/B08FC1R8C9'],
  ['https://example.com/Heater-Fan/dp/B08FC1R8C9?tag=x', 'https://example.com/dp/b08fc1r8c9'],
  ['https://example.com/itm/143863282131', 'https://example.com/itm/old-clock/143863282131?hash=item217'],
  ['https://example.com/product/4667999', 'https://example.com/product/4667999?clickPR=plp'],
  ['https://example.com/old-shop/cup-98765.html', 'https://example.com/kitchen/cups/cup-98765'],
  [
    'https://example.com/cup-98765',
    'https://example.com/kitchen/cup',
    'https://example.com/kitchen/cup-98765',
  ],
  ['https://m.example.com/p/blue-cup', 'https://www.example.com/p/blue-cup'],
  ['https://shop.example.co.uk/p/blue-cup', 'https://www.example.co.uk/p/blue-cup'],
  ['https://example.com/blue-cup.html', 'https://example.com/blue-cup'],
  ['https://example.com/blue-cup', 'https://example.com/products/blue-cup'],
  ['https://example.com/blue-cup', 'https://example.com/products/cup-blue-large'],
  ['https://example.com/', 'https://www.example.com/en/'],
  ['https://example.com/p/caf%C3%A9-cup', 'https://example.com/p/café-cup'],
  ['https://example.com/product.php?id=77', 'https://example.com/product.php?id=77&lang=en'],
  ['https://example.com/product.php?id=77', 'https://example.com/p/cup-77'],
  ['https://example.com/p/cup?variant=31', 'https://example.com/p/cup?variant=31&currency=EUR'],
  ['https://example.com/p/cup#reviews', 'https://example.com/p/cup'],
]

const other: readonly [asked: string, final: string, why: RegExp, canonical?: string][] = [
  ['https://example.com/p/blue-cup', 'https://another.com/p/blue-cup', /another site/],
  ['https://example.com/p/blue-cup', 'https://example.de/p/blue-cup', /another site/],
  ['https://example.com/p/blue-cup', 'https://example.com.evil.net/p/blue-cup', /another site/],
  ['https://one.myshopify.com/p/cup', 'https://two.myshopify.com/p/cup', /another site/],
  ['https://one.github.io/cup', 'https://two.github.io/cup', /another site/],
  ['https://example.co.uk/cup', 'https://sample.co.uk/cup', /another site/],
  ['https://93.184.216.34/cup', 'https://93.184.216.35/cup', /another site/],
  ['https://example.com/p/blue-cup', 'https://example.com/', /home page/],
  ['https://example.com/p/blue-cup', 'https://example.com', /home page/],
  ['https://example.com/p/blue-cup', 'https://www.example.com/?gone=1', /home page/],
  ['https://example.com/p/blue-cup', 'https://example.com/en/', /home page/],
  ['https://example.com/de/p/blue-cup', 'https://example.com/de', /home page/],
  ['https://example.com/p/blue-cup', 'https://example.com/index.html', /home page/],
  ['https://example.com/kitchen/cups/blue-cup', 'https://example.com/kitchen/cups', /above/],
  ['https://example.com/kitchen/cups/blue-cup', 'https://example.com/kitchen/', /above/],
  ['https://example.com/Kitchen/cups/blue-cup', 'https://example.com/kitchen', /above/],
  ['https://example.com/en/kitchen/blue-cup', 'https://example.com/kitchen', /above/],
  ['https://example.com/kitchen/cup-98765', 'https://example.com/kitchen', /above/],
  ['https://example.com/p/cup-98765', 'https://example.com/p/cup-98766', /no 98765/],
  ['https://example.com/p/cup-98765', 'https://example.com/p/cup', /no 98765/],
  ['https://example.com/p/cup-98765', 'https://example.com/cups/all', /no 98765/],
  ['https://example.com/p/cup-98765', 'https://example.com/p/cup', /no 98765/, 'https://example.com/p/cup'],
  ['https://example.com/dp/B08FC1R8C9', 'https://example.com/dp/B08LNDXM65', /no b08fc1r8c9/],
  ['https://example.com/dp/B08FC1R8C9', 'https://example.com/s?k=heater', /no b08fc1r8c9/],
  [
    'https://example.com/item/w712550a.html',
    'https://example.com/item/w712551b.html',
    /no w712550a|no 712550/,
  ],
  ['https://example.com/itm/143863282131', 'https://example.com/sch/clocks', /no 143863282131/],
  ['https://example.com/product.php?id=77', 'https://example.com/product.php?id=78', /another id/],
  ['https://example.com/product.php?id=77', 'https://example.com/product.php', /another id/],
  ['https://example.com/p/cup?variant=31', 'https://example.com/p/cup?variant=32', /another variant/],
  ['https://example.com/p/blue-cup', 'https://example.com/search?q=', /another name/],
  ['https://example.com/p/blue-cup', 'https://example.com/not-found', /another name/],
  ['https://example.com/p/blue-cup', 'https://example.com/p/red-plate', /another name/],
]

describe('a redirect', () => {
  it('has a table of at least 60 pairs', () => expect(one.length + other.length).toBeGreaterThanOrEqual(60))

  it.each(one)('%s -> %s is the same page', (asked, final, canonical) => {
    expect(whyDifferent(asked, final, canonical)).toBeUndefined()
  })

  it.each(other)('%s -> %s is another page', (asked, final, why, canonical) => {
    expect(whyDifferent(asked, final, canonical)).toMatch(why)
  })
})
