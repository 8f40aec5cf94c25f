/** What a buyer should know of an answer. */
import type { Facts } from './facts.ts'
import type { Merged } from './merge.ts'
import { isSameAmount, isZero } from './price.ts'

export const warningNames = [
  'declared_price_differs_from_page',
  'declared_prices_differ',
  'price_valid_until_past',
  'currency_from_symbol',
  'currency_unclear',
  'page_read_in_part',
] as const
export type Warning = (typeof warningNames)[number]

const dayMs = 86_400_000

export interface Seen {
  now: number
  isCut: boolean
  /** What the page shows, and whether its price is surely the product's. */
  shown: Facts
  isSure: boolean
  /** Whether the data of the page declares another price than its price tags and its text. */
  hasOldPrice: boolean
}

export function warningsOf(
  { facts: { offers, doubts }, by }: Merged,
  { now, isCut, shown, isSure, hasOldPrice }: Seen,
): Warning[] {
  const warnings: Warning[] = []
  if (offers?.kind === 'one') {
    const { price, validUntil } = offers
    const seen = shown.offers?.kind === 'one' ? shown.offers.price : undefined
    const isPaid = price !== undefined && !isZero(price)
    // Of what is free, the page shows the price of something else.
    if (by.get('offers.price') === 'declared' && isPaid && seen && isSure && !isSameAmount(price, seen))
      warnings.push('declared_price_differs_from_page')
    if (validUntil && Date.parse(validUntil) + dayMs < now) warnings.push('price_valid_until_past')
  }
  if (hasOldPrice) warnings.push('declared_prices_differ')
  if (by.get('offers.priceCurrency') === 'inferred' && doubts?.includes('currency_from_symbol'))
    warnings.push('currency_from_symbol')
  if (offers && offers.currency === undefined && doubts?.includes('currency_unclear'))
    warnings.push('currency_unclear')
  if (isCut) warnings.push('page_read_in_part')
  return warnings
}
