/** The prices that an offer declares: its own, or those of its specifications. */
import { currencyCode } from './currency.ts'
import { type Item, is, itemsOf, textAt, valuesOf } from './item.ts'
import type { OfferSetting } from './offer-setting.ts'
import { isSameAmount, isZero, statedPrice } from './price.ts'

interface DeclaredPrice {
  value: string
  currency: string | undefined
}

export const currencyAt = (item: Item): string | undefined =>
  currencyCode(textAt(item, 'pricecurrency', 'currency')) ??
  itemsOf(item, 'pricespecification')
    .map(each => currencyCode(textAt(each, 'pricecurrency')))
    .find(Boolean)

/** A price that is crossed out, or for a kilo, or for members, does not count. */
export function priceAt(item: Item, asking: OfferSetting): DeclaredPrice | undefined {
  const currency = currencyAt(item)
  const own = valuesOf(item, 'price')
    .map(value => read(typeof value === 'string' ? value : textAt(value, 'value', 'price'), asking, currency))
    .find(found => found !== undefined)
  if (own) return own
  const specified = itemsOf(item, 'pricespecification')
    .filter(isPlain)
    .flatMap(
      each =>
        read(textAt(each, 'price'), asking, currencyCode(textAt(each, 'pricecurrency')) ?? currency) ?? [],
    )
  return specified.find(({ currency }) => currency === asking.currency) ?? specified[0]
}

/** The least and the greatest price, where an offer or its specification says no more: of a product that is sold in variants. */
export function limitsAt(
  item: Item,
  { locale }: OfferSetting,
): { low: string | undefined; high: string | undefined; currency: string | undefined } | undefined {
  for (const each of [...itemsOf(item, 'pricespecification').filter(isPlain), item]) {
    const currency = currencyCode(textAt(each, 'pricecurrency')) ?? currencyAt(item)
    const [low, high] = ['minprice', 'maxprice'].map(name => {
      const value = statedPrice(textAt(each, name), locale, currency)?.value
      return value === undefined || isZero(value) ? undefined : value
    })
    if (low !== undefined || high !== undefined) return { low, high, currency }
  }
  return undefined
}

export const isOneOf = (value: string, ...limits: readonly (string | undefined)[]): boolean =>
  limits.some(limit => limit !== undefined && isSameAmount(value, limit))

const isPlain = (item: Item): boolean =>
  !is(item, 'deliverychargespecification', 'paymentchargespecification') &&
  !/listprice|strikethrough|srp|msrp|invoice|minimumadvertised/i.test(textAt(item, 'pricetype') ?? '') &&
  !item.properties.has('validformembertier') &&
  !item.properties.has('referencequantity') &&
  !item.properties.has('billingduration')

/** Zero means "no price stated", unless the page says in words that it is free. */
function read(
  text: string | undefined,
  { locale, isFree }: OfferSetting,
  currency: string | undefined,
): DeclaredPrice | undefined {
  if (/^\s*(free|gratis|kostenlos|gratuit)\s*$/i.test(text ?? '')) return { value: '0', currency }
  const found = statedPrice(text, locale, currency)
  return found && (isFree || !isZero(found.value))
    ? { value: found.value, currency: currency ?? found.currency?.code }
    : undefined
}
