/** Small pages of our own, in the forms that shops write. */
import { type Extracted, extract, type Product } from '../../../../pipelines/domains/product/extract.ts'

export const now = Date.parse('2026-11-22T12:00:00Z')
export const cupUrl = 'https://shop.example.com/cups/blue-cup-48213'

export const read = (html: string, url = cupUrl, finalUrl = url): Extracted =>
  extract({ html, url, finalUrl, now })

export function productIn(html: string, url?: string): Product {
  const found = read(html, url)
  if (!found.product) throw new Error(`${found.nothing}: ${found.message}`)
  return found.product
}

export const cup = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Blue Cup',
  sku: 'CUP-48213',
  brand: { '@type': 'Brand', name: 'Potter' },
  image: 'https://cdn.example.com/cup.jpg',
  offers: {
    '@type': 'Offer',
    price: '12.50',
    priceCurrency: 'EUR',
    availability: 'https://schema.org/InStock',
  },
}

export const block = (json: unknown): string =>
  `<script type="application/ld+json">${typeof json === 'string' ? json : JSON.stringify(json)}</script>`

export const page = (
  body: string,
  { head = '', lang = 'en', title = 'Blue Cup - Shop', h1 = 'Blue Cup' } = {},
): string =>
  `<!doctype html><html lang="${lang}"><head><title>${title}</title>${head}</head><body><h1>${h1}</h1>${body}</body></html>`
