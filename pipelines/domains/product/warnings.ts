/** Warnings about an answer for a buyer. */
import { isChecked } from './gtin.ts'
import type { Merged } from './merge.ts'
import { type ShownFacts, surePoints } from './page.ts'
import { isSameAmount, isZero, shortest } from './price.ts'

export const warningNames = [
  'declared_price_differs_from_page',
  'declared_prices_differ',
  'price_valid_until_past',
  'currency_from_symbol',
  'currency_unclear',
  'prices_in_several_currencies',
  'gtin_check_digit_wrong',
  'declared_code_differs_from_page',
  'page_read_in_part',
] as const
export type ProductWarning = (typeof warningNames)[number]

const dayMs = 86_400_000

interface Seen {
  now: number
  isCut: boolean
  shown: ShownFacts
  /** Whether the data of the page declares a price that differs from its price tags and its text. */
  hasOldPrice: boolean
}

/** Two amounts with nearly equal evidence prove nothing: one may belong to a neighbour. */
const nearly = 1.5

function isContradicted(price: string, { facts: { offers }, pricePoints, amounts }: ShownFacts): boolean {
  const seen = offers?.kind === 'one' ? offers.price : undefined
  // If a product is free, the visible price belongs to something else.
  if (seen === undefined || pricePoints < surePoints || isZero(price) || isSameAmount(price, seen))
    return false
  return pricePoints - (amounts.get(shortest(price)) ?? 0) > nearly
}

export function warningsOf(
  { facts: { offers, doubts, gtin, group, printed }, by }: Merged,
  { now, isCut, shown, hasOldPrice }: Seen,
): ProductWarning[] {
  const warnings: ProductWarning[] = []
  if (offers?.kind === 'one') {
    const { price, validUntil } = offers
    if (by.get('offers.price') === 'declared' && price && isContradicted(price, shown))
      warnings.push('declared_price_differs_from_page')
    if (validUntil && Date.parse(validUntil) + dayMs < now) warnings.push('price_valid_until_past')
  }
  if (hasOldPrice) warnings.push('declared_prices_differ')
  if (by.get('offers.priceCurrency') === 'inferred' && doubts?.includes('currency_from_symbol'))
    warnings.push('currency_from_symbol')
  if (offers && offers.currency === undefined && doubts?.includes('currency_unclear'))
    warnings.push('currency_unclear')
  if (offers?.isOfSeveral) warnings.push('prices_in_several_currencies')
  if ([gtin, ...(group?.variants ?? []).map(({ gtin }) => gtin)].some(each => each && !isChecked(each)))
    warnings.push('gtin_check_digit_wrong')
  if (printed) warnings.push('declared_code_differs_from_page')
  if (isCut) warnings.push('page_read_in_part')
  return warnings
}
