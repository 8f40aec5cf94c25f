/** The offers of a product: one price, or a range of prices. */
import { conditionUrl, declaredState } from './availability.ts'
import { type OfferRange, type ProductOffer, stated } from './facts.ts'
import { type Item, is, itemsOf, textAt } from './item.ts'
import { joined, ofOneCurrency } from './joined-offers.ts'
import { currencyAt, isOneOf, limitsAt, priceAt } from './offer-prices.ts'
import type { OfferSetting } from './offer-setting.ts'
import { isSameAmount, isZero, statedPrice } from './price.ts'
import { plainText } from './texts.ts'

const mostOffers = 500

export function offersOf(product: Item, asking: OfferSetting): ProductOffer | OfferRange | undefined {
  const given = itemsOf(product, 'offers', 'offer').slice(0, mostOffers)
  const inside = given.flatMap(item => itemsOf(item, 'offers')).slice(0, mostOffers)
  const single = [...given.filter(item => !is(item, 'aggregateoffer')), ...inside]
    .map(item => ({ item, offer: offerOf(item, asking) }))
    .filter(({ offer }) => Object.keys(offer).length > 1)
  const ranges = given.filter(item => is(item, 'aggregateoffer')).flatMap(item => rangeOf(item, asking) ?? [])
  const named = single.filter(({ item }) => asking.names(item))
  const chosen = named.length && named.length < single.length ? named : single
  const offers = chosen.map(({ offer }) => offer)
  return joined(offers, asking) ?? ofOneCurrency(ranges, asking)[0]
}

function offerOf(item: Item, asking: OfferSetting): ProductOffer | OfferRange {
  const limits = limitsAt(item, asking)
  const price = priceAt(item, asking)
  const availability = declaredState(textAt(item, 'availability'))
  const isRange = limits !== undefined && !(limits.low && isOneOf(limits.low, limits.high))
  // Some shops declare the least price beside the two limits.
  if (limits && isRange && (!price || isOneOf(price.value, limits.low, limits.high)))
    return stated<OfferRange>({ kind: 'many', ...limits, availability })
  return stated<ProductOffer>({
    kind: 'one',
    price: price?.value ?? limits?.low,
    currency: price?.currency ?? currencyAt(item),
    availability,
    condition: conditionUrl(textAt(item, 'itemcondition')),
    validUntil: dateOf(textAt(item, 'pricevaliduntil')),
    seller: plainText(textAt(item, 'seller', 'offeredby')),
  })
}

function rangeOf(item: Item, asking: OfferSetting): ProductOffer | OfferRange | undefined {
  const { locale } = asking
  const currency = currencyAt(item)
  const at = (name: string) => {
    const value = statedPrice(textAt(item, name), locale, currency)?.value
    return value === undefined || isZero(value) ? undefined : value
  }
  const [low, high] = ['lowprice', 'highprice'].map(at)
  const one = low && (!high || isSameAmount(low, high)) ? low : undefined
  const count = /^\d{1,9}$/.exec(textAt(item, 'offercount')?.trim() ?? '')?.[0]
  const own = low === undefined && high === undefined ? offerOf(item, asking) : undefined
  if (own && (own.kind === 'many' || own.price !== undefined))
    return own.kind === 'many' && count !== undefined ? { ...own, count } : own
  if (one && (count === undefined || Number(count) <= 1))
    return stated<ProductOffer>({ ...offerOf(item, asking), kind: 'one', price: one, currency })
  const availability = declaredState(textAt(item, 'availability'))
  const range = stated<OfferRange>({ kind: 'many', low, high, currency, count, availability })
  return Object.keys(range).length > 1 ? range : undefined
}

const dateOf = (text: string | undefined): string | undefined => {
  const date = text?.trim() ?? ''
  return /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(date) &&
    !Number.isNaN(Date.parse(date))
    ? date
    : undefined
}
