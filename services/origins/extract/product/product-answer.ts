/** A product as schema.org JSON: the page's statements, null for missing ones, and the source of each field. */
import { z } from 'zod'
import type {
  Facts,
  OfferRange,
  ProductOffer,
  ProductVariant,
} from '../../../../pipelines/domains/product/facts.ts'
import type { FieldTrust } from '../../../../pipelines/domains/product/merge.ts'
import { type ProductWarning, warningNames } from '../../../../pipelines/domains/product/warnings.ts'
import { exact, instant } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'

const text = z.string().nullable()
const amount = exact().nullable()

const one = z.strictObject({
  '@type': z.literal('Offer'),
  price: amount.describe('As the page writes it'),
  priceCurrency: text.describe('ISO 4217; null where a sign could mean several'),
  availability: text.describe('A URL of schema.org'),
  itemCondition: text,
  priceValidUntil: text,
  seller: z.strictObject({ '@type': z.literal('Organization'), name: z.string() }).nullable(),
})
const range = z.strictObject({
  '@type': z.literal('AggregateOffer'),
  lowPrice: amount,
  highPrice: amount,
  priceCurrency: text,
  offerCount: exact().nullable(),
  availability: text,
})
const offers = z.union([one, range]).nullable()

const variant = z.strictObject({
  '@type': z.literal('Product'),
  name: text,
  sku: text,
  gtin: text,
  color: text,
  size: text,
  url: text,
  offers,
})

/** The fields of an answer that are read from the page. */
export const productShape = {
  '@context': z.literal('https://schema.org'),
  '@type': z.enum(['Product', 'ProductGroup']),
  url: z.string().describe('As asked for'),
  final_url: z.string().describe('Where its redirects end'),
  name: text,
  description: text.describe('Plain text, at most 5,000 characters'),
  sku: text,
  gtin: text,
  mpn: text,
  color: text,
  size: text,
  brand: z.strictObject({ '@type': z.literal('Brand'), name: z.string() }).nullable(),
  image: z.array(z.string()).describe('Up to 5 absolute URLs copied from the page, the best first'),
  offers: offers.describe('null: the page states no price and no stock'),
  aggregateRating: z
    .strictObject({
      '@type': z.literal('AggregateRating'),
      ratingValue: amount,
      bestRating: amount,
      reviewCount: amount,
    })
    .nullable(),
  printed: z
    .strictObject({ sku: text, gtin: text, mpn: text })
    .optional()
    .describe('Codes under a label of the page, where it declares another: that one stands above'),
  productGroupID: text.optional(),
  variesBy: z.array(z.string()).optional(),
  hasVariant: z.array(variant).optional().describe('Of a ProductGroup: at most 60'),
  variants_truncated: z.boolean().optional(),
  provenance: z
    .strictObject({
      declared: z.array(z.string()).describe('Stated by JSON-LD, microdata, RDFa or price tags of the page'),
      inferred: z
        .array(z.string())
        .describe('Read from what the page shows, or from the state of its scripts'),
    })
    .describe('The dotted name of every field that is not null, in exactly one list'),
  warnings: z.array(z.enum(warningNames)),
  rendered: z.boolean().describe('Whether a browser had to show the page'),
  cached: z.boolean(),
  cache_age_seconds: z.int(),
  fetched_at: z.string().describe('When the page was fetched, also where the answer is cached'),
  fetchedAt: z.string().describe('The same as `fetched_at`'),
}

interface Read {
  url: string
  finalUrl: string
  rendered: boolean
  fetchedAt: number
  askedAt: number
  facts: Facts
  by: Readonly<Record<string, FieldTrust>>
  warnings: readonly ProductWarning[]
}

export type ProductAnswer = ReturnType<typeof written>

/** At this size a batch of five fits a record of the log. */
const mostCharacters = 60_000

/** If the whole is too long, leaves out variants from the end. */
export function productAnswer(read: Read): ProductAnswer {
  const { group } = read.facts
  let most = group?.variants.length ?? 0
  let answer = written(read, most)
  while (most > 0 && JSON.stringify(answer).length > mostCharacters) {
    most = Math.floor(most * 0.7)
    answer = written(read, most)
  }
  return answer
}

function written(
  { url, finalUrl, facts, by, warnings, rendered, fetchedAt, askedAt }: Read,
  mostVariants: number,
) {
  const { name, description, sku, gtin, mpn, color, size, brand, images = [], rating, group, printed } = facts
  const stated = (trust: FieldTrust) => Object.keys(by).filter(field => by[field] === trust)
  const cached = fetchedAt < askedAt
  return {
    '@context': 'https://schema.org' as const,
    '@type': group ? ('ProductGroup' as const) : ('Product' as const),
    url,
    final_url: finalUrl,
    name: name ?? null,
    description: description ?? null,
    sku: sku ?? null,
    gtin: gtin ?? null,
    mpn: mpn ?? null,
    color: color ?? null,
    size: size ?? null,
    brand: brand === undefined ? null : { '@type': 'Brand' as const, name: brand },
    image: images,
    offers: offersAnswer(facts.offers),
    aggregateRating: rating
      ? {
          '@type': 'AggregateRating' as const,
          ratingValue: amountOf(rating.value),
          bestRating: amountOf(rating.best),
          reviewCount: amountOf(rating.count),
        }
      : null,
    ...(printed && {
      printed: { sku: printed.sku ?? null, gtin: printed.gtin ?? null, mpn: printed.mpn ?? null },
    }),
    ...(group && {
      productGroupID: group.id ?? null,
      variesBy: group.variesBy,
      hasVariant: group.variants.slice(0, mostVariants).map(variantAnswer),
      variants_truncated: group.isCut || mostVariants < group.variants.length,
    }),
    provenance: { declared: stated('declared'), inferred: stated('inferred') },
    warnings: [...warnings],
    rendered,
    cached,
    cache_age_seconds: cached ? Math.floor((askedAt - fetchedAt) / 1000) : 0,
    fetched_at: instant(fetchedAt),
    fetchedAt: instant(fetchedAt),
  }
}

const amountOf = (decimal: string | undefined) => (decimal === undefined ? null : number(decimal))
const ofSchema = (word: string | undefined) => (word === undefined ? null : `https://schema.org/${word}`)

function offersAnswer(offers: ProductOffer | OfferRange | undefined) {
  if (offers === undefined) return null
  if (offers.kind === 'many')
    return {
      '@type': 'AggregateOffer' as const,
      lowPrice: amountOf(offers.low),
      highPrice: amountOf(offers.high),
      priceCurrency: offers.currency ?? null,
      offerCount: amountOf(offers.count),
      availability: ofSchema(offers.availability),
    }
  return {
    '@type': 'Offer' as const,
    price: amountOf(offers.price),
    priceCurrency: offers.currency ?? null,
    availability: ofSchema(offers.availability),
    itemCondition: offers.condition ?? null,
    priceValidUntil: offers.validUntil ?? null,
    seller: offers.seller === undefined ? null : { '@type': 'Organization' as const, name: offers.seller },
  }
}

const variantAnswer = ({ name, sku, gtin, color, size, url, offers }: ProductVariant) => ({
  '@type': 'Product' as const,
  name: name ?? null,
  sku: sku ?? null,
  gtin: gtin ?? null,
  color: color ?? null,
  size: size ?? null,
  url: url ?? null,
  offers: offersAnswer(offers),
})
