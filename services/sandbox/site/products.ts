/**
 * More of the sample shop: a product in sizes, one without declarations, one with a price from a script, a list, and moved pages.
 */
interface ShopPage {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string
}

const page = (title: string, body: string, head = ''): ShopPage => ({
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} - Chandlery Sample</title>
${head}
</head>
<body><header>Chandlery Sample</header><main><h1>${title}</h1>
${body}
</main><footer>A sample page of the sandbox. Nothing on it is real.</footer></body>
</html>
`,
})
const declared = (json: unknown) => `<script type="application/ld+json">${JSON.stringify(json)}</script>`
const url = (path: string) => `http://chandlery.sample${path}`

const boot = (size: string, sku: string, price: string, stock: string) => ({
  '@type': 'Product',
  name: `Deck boot, size ${size}`,
  sku,
  size,
  image: url(`/img/${sku}.jpg`),
  offers: {
    '@type': 'Offer',
    url: url(`/boots?variant=${sku}`),
    price,
    priceCurrency: 'EUR',
    availability: `https://schema.org/${stock}`,
  },
})
const boots = page(
  'Deck boot',
  '<p class="price">from €79.00</p><button>Add to cart</button>',
  declared({
    '@context': 'https://schema.org',
    '@type': 'ProductGroup',
    name: 'Deck boot',
    description: 'A rubber boot with a cut sole that holds on wet planks.',
    brand: { '@type': 'Brand', name: 'Northmast' },
    productGroupID: 'NM-BOOT',
    variesBy: ['https://schema.org/size'],
    hasVariant: [
      boot('41', 'NM-4141', '79.00', 'InStock'),
      boot('42', 'NM-4142', '79.00', 'OutOfStock'),
      boot('47', 'NM-4147', '84.50', 'InStock'),
    ],
  }),
)

const compass = page(
  'Hand compass',
  `<img src="${url('/img/compass.jpg')}" width="600" height="400">
<del class="price">€64.00</del> <span class="price">€49.90</span> <p class="stock">Only 3 left</p>
<table><tr><th>Article number</th><td>NM-7702</td></tr><tr><th>Brand</th><td>Northmast</td></tr></table>
<button>Add to cart</button>
<section class="related"><h2>Related products</h2><a href="/products/NM-2041">Brass anchor lamp <b class="price">€129.00</b></a></section>`,
)

const offer = (price: string, priceCurrency: string) => ({ '@type': 'Offer', price, priceCurrency })
/** Declared as some shops do it: a comma too many, a number with a wrong digit, a price for each country. */
const barometer = page(
  'Brass barometer',
  '<p>Product code: NM-6630</p><span class="price">€95.00</span><button>Add to cart</button>',
  declared({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Brass barometer',
    sku: '48112',
    gtin13: '4006381333932',
    offers: [offer('80.00', 'GBP'), offer('95.00', 'EUR'), offer('100.00', 'USD')],
  }).replace(',', ',,'),
)

const scripted = page(
  'Signal flag set',
  `<p>Forty flags of sewn polyester.</p><p>Article number: NM-5540</p><span class="price" id="price"></span><button>Add to cart</button>
<script>fetch('/flag-price.json').then(answer => answer.json()).then(({ price }) => { document.getElementById('price').textContent = '€' + price })</script>`,
)

const cards = ['NM-2041', 'NM-0312'].map((sku, i) => ({
  '@type': 'ListItem',
  position: i + 1,
  item: {
    '@type': 'Product',
    name: `Product ${sku}`,
    url: url(`/products/${sku}`),
    offers: { '@type': 'Offer', price: 10 + i, priceCurrency: 'EUR' },
  },
}))
const list = page(
  'All products',
  '<p>Two products.</p>',
  declared({ '@context': 'https://schema.org', '@type': 'ItemList', itemListElement: cards }),
)

const moved = (location: string): ShopPage => ({
  status: 301,
  headers: { location },
  body: 'This page has moved.',
})

/** The pages by host and path. */
export const productPages: Readonly<Record<string, ShopPage>> = {
  'chandlery.sample/': page('Welcome', '<p>Everything for a small boat.</p>'),
  'chandlery.sample/boots': boots,
  'chandlery.sample/products/hand-compass': compass,
  'chandlery.sample/products/barometer': barometer,
  'chandlery.sample/products/flags': scripted,
  'chandlery.sample/flag-price.json': { type: 'application/json', body: '{"price":"112.00"}' },
  'chandlery.sample/products': list,
  'chandlery.sample/products/NM-9999': moved('/'),
  'chandlery.sample/lamp-77410': moved('/products/NM-2041'),
  'chandlery.sample/products/old-lamp': {
    ...page(
      'Moved',
      '<p>This page has moved.</p>',
      '<meta http-equiv="refresh" content="0; url=/products/NM-2041">',
    ),
  },
  'chandlery.sample/en/products/NM-2041': moved('/products/NM-2041/'),
  'chandlery.sample/products/NM-2041/': moved('/products/NM-2041'),
}
