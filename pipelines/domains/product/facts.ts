/** The statements of one part of a page about the product. A missing field was not stated. */

export interface ProductOffer {
  kind: 'one'
  price?: string
  currency?: string
  availability?: string
  condition?: string
  validUntil?: string
  seller?: string
  /** The page also declares prices in other currencies. */
  isOfSeveral?: boolean
}

export interface OfferRange {
  kind: 'many'
  low?: string
  high?: string
  currency?: string
  count?: string
  availability?: string
  isOfSeveral?: boolean
}

export interface Rating {
  value?: string
  best?: string
  count?: string
}

export interface ProductVariant {
  name?: string
  sku?: string
  gtin?: string
  color?: string
  size?: string
  url?: string
  offers?: ProductOffer | OfferRange
}

export interface Group {
  id?: string
  variesBy: string[]
  variants: ProductVariant[]
  isCut: boolean
}

/** Codes under a label of the page, where it declares another. */
export interface PrintedCodes {
  sku?: string
  gtin?: string
  mpn?: string
}

export interface Facts {
  name?: string
  description?: string
  sku?: string
  gtin?: string
  mpn?: string
  color?: string
  size?: string
  brand?: string
  images?: string[]
  offers?: ProductOffer | OfferRange
  rating?: Rating
  group?: Group
  printed?: PrintedCodes
  /** Doubts about a currency sign on this site: one currency was chosen of several, or none could be. */
  doubts?: ('currency_from_symbol' | 'currency_unclear')[]
}

/** Leaves out undefined fields, so that a field is either stated or absent. */
export function stated<T extends object>(facts: { [K in keyof T]: T[K] | undefined }): T {
  const found = Object.entries(facts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(found) as T
}
