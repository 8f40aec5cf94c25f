/** The real answer of /extract about a page of the sample shop. */
export const productUrl = 'http://chandlery.sample/products/NM-2041'

export const productExample = {
  '@context': 'https://schema.org' as const,
  '@type': 'Product' as const,
  url: productUrl,
  final_url: productUrl,
  name: 'Brass anchor lamp',
  description:
    'A riding light of cast brass with a thick ribbed glass. It burns for thirty hours on one filling.',
  sku: 'NM-2041',
  gtin: null,
  mpn: null,
  color: null,
  size: null,
  brand: { '@type': 'Brand' as const, name: 'Northmast' },
  image: ['http://chandlery.sample/img/NM-2041.jpg'],
  offers: {
    '@type': 'Offer' as const,
    price: 129,
    priceCurrency: 'EUR',
    availability: 'https://schema.org/InStock',
    itemCondition: null,
    priceValidUntil: null,
    seller: null,
  },
  aggregateRating: null,
  provenance: {
    declared: [
      'name',
      'description',
      'sku',
      'brand.name',
      'image',
      'offers.price',
      'offers.priceCurrency',
      'offers.availability',
    ],
    inferred: [] as string[],
  },
  warnings: [],
  rendered: false,
  cached: false,
  cache_age_seconds: 0,
  fetched_at: '2026-11-22T11:00:00.000Z',
  fetchedAt: '2026-11-22T11:00:00.000Z',
}
