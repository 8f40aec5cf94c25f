/** Joins the statements of the parts of a page. For each field the first part that states it wins, and is named. */
import type { Facts, OfferRange, ProductOffer } from './facts.ts'
import { isMistyped } from './gtin.ts'
import { hasPrice } from './joined-offers.ts'

export type FieldTrust = 'declared' | 'inferred'

export interface ProductPart {
  trust: FieldTrust
  facts: Facts
}

export interface Merged {
  facts: Facts
  /** The part that stated each field, under its dotted name in the answer. */
  by: ReadonlyMap<string, FieldTrust>
}

/** The fields of the answer with a single text. */
const texts = ['name', 'description', 'sku', 'gtin', 'mpn', 'color', 'size'] as const

const namesOfOffer: Record<keyof Omit<ProductOffer, 'kind' | 'isOfSeveral'>, string> = {
  price: 'offers.price',
  currency: 'offers.priceCurrency',
  availability: 'offers.availability',
  condition: 'offers.itemCondition',
  validUntil: 'offers.priceValidUntil',
  seller: 'offers.seller',
}
const namesOfRange: Record<keyof Omit<OfferRange, 'kind' | 'isOfSeveral'>, string> = {
  low: 'offers.lowPrice',
  high: 'offers.highPrice',
  currency: 'offers.priceCurrency',
  count: 'offers.offerCount',
  availability: 'offers.availability',
}

export function merge(parts: readonly ProductPart[]): Merged {
  const facts: Facts = {}
  const by = new Map<string, FieldTrust>()
  for (const name of texts) {
    const stating = parts.filter(({ facts }) => facts[name] !== undefined)
    const part = stating.find(({ facts }) => name !== 'gtin' || !isMistyped(facts.gtin ?? '')) ?? stating[0]
    if (!part) continue
    facts[name] = part.facts[name] as string
    by.set(name, part.trust)
  }
  take('brand', 'brand.name')
  take('images', 'image')
  const rating = take('rating', undefined)
  if (rating) {
    const { value, best, count } = facts.rating ?? {}
    for (const [name, stated] of Object.entries({ ratingValue: value, bestRating: best, reviewCount: count }))
      if (stated !== undefined) by.set(`aggregateRating.${name}`, rating)
  }
  const group = take('group', undefined)
  if (group) {
    if (facts.group?.id !== undefined) by.set('productGroupID', group)
    if (facts.group?.variesBy.length) by.set('variesBy', group)
    if (facts.group?.variants.length) by.set('hasVariant', group)
  }
  const offers = mergeOffers(parts, by)
  if (offers) facts.offers = offers
  const doubts = parts.flatMap(({ facts }) => facts.doubts ?? [])
  if (doubts.length) facts.doubts = [...new Set(doubts)]
  return { facts, by }

  function take(
    name: 'brand' | 'images' | 'rating' | 'group',
    told: string | undefined,
  ): FieldTrust | undefined {
    const part = parts.find(({ facts }) => facts[name] !== undefined)
    if (!part) return undefined
    Object.assign(facts, { [name]: part.facts[name] })
    if (told) by.set(told, part.trust)
    return part.trust
  }
}

/** An answer holds no number that is mistyped for sure. */
export function withoutMistyped({ facts, by }: Merged): Merged {
  const { group } = facts
  const isOut = facts.gtin !== undefined && isMistyped(facts.gtin)
  return {
    facts: {
      ...withoutCode(facts),
      ...(group && { group: { ...group, variants: group.variants.map(withoutCode) } }),
    },
    by: isOut ? new Map([...by].filter(([name]) => name !== 'gtin')) : by,
  }
}

function withoutCode<T extends { gtin?: string }>(stating: T): T {
  if (stating.gtin === undefined || !isMistyped(stating.gtin)) return stating
  const { gtin: _, ...rest } = stating
  return rest as T
}

/** The first part with a price decides between one price and a range. The other parts fill the gaps. */
function mergeOffers(
  parts: readonly ProductPart[],
  by: Map<string, FieldTrust>,
): ProductOffer | OfferRange | undefined {
  const stating = parts.filter(({ facts }) => facts.offers !== undefined)
  const first = stating.find(({ facts }) => facts.offers && hasPrice(facts.offers)) ?? stating[0]
  if (!first) return undefined
  const { kind, isOfSeveral } = first.facts.offers as ProductOffer | OfferRange
  const names: Record<string, string> = kind === 'one' ? namesOfOffer : namesOfRange
  const merged: Record<string, string | boolean> = { kind, ...(isOfSeveral && { isOfSeveral }) }
  const fits = stating.filter(({ facts }) => facts.offers?.kind === kind || facts.offers === undefined)
  for (const [name, told] of Object.entries(names)) {
    const isPrice = name === 'price' || name === 'low' || name === 'high' || name === 'count'
    const shared = name === 'currency' || name === 'availability'
    const from = isPrice ? [first] : shared ? stating : fits
    const part = from.find(
      ({ facts }) => (facts.offers as unknown as Record<string, string>)[name] !== undefined,
    )
    if (!part) continue
    merged[name] = (part.facts.offers as unknown as Record<string, string>)[name] as string
    by.set(told, part.trust)
  }
  return merged as unknown as ProductOffer | OfferRange
}
