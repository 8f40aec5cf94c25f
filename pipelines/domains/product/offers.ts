/** The offers of a product: one price, or a range of prices. */
import { conditionUrl, declaredState } from './availability.ts'
import { currencyCode } from './currency.ts'
import { type OfferRange, type ProductOffer, stated } from './facts.ts'
import { type Item, is, itemsOf, textAt, valuesOf } from './item.ts'
import type { Locale } from './locale.ts'
import { compare, isSameAmount, isZero, statedPrice } from './price.ts'
import { plainText } from './texts.ts'

export interface OfferSetting {
  locale: Locale
  /** The URL of the page. */
  url: string
  /** Whether the URL of the page names this item. */
  names(item: Item): boolean
  /** Whether the page calls its price free. */
  isFree: boolean
}

const mostOffers = 500

export function offersOf(product: Item, asking: OfferSetting): ProductOffer | OfferRange | undefined {
  const given = itemsOf(product, 'offers', 'offer').slice(0, mostOffers)
  const inside = given.flatMap(item => itemsOf(item, 'offers')).slice(0, mostOffers)
  const single = [...given.filter(item => !is(item, 'aggregateoffer')), ...inside]
    .map(item => ({ item, offer: offerOf(item, asking) }))
    .filter(({ offer }) => Object.keys(offer).length > 1)
  const range = given.find(item => is(item, 'aggregateoffer'))
  const named = single.filter(({ item }) => asking.names(item))
  const chosen = named.length && named.length < single.length ? named : single
  return joined(chosen.map(({ offer }) => offer)) ?? (range && rangeOf(range, asking))
}

/** Several offers at one price are one offer, which is in stock if any of them is. */
export function joined(all: readonly ProductOffer[]): ProductOffer | OfferRange | undefined {
  const [first] = all
  if (!first) return undefined
  const priced = all.filter(({ price }) => price !== undefined)
  const best = priced.find(({ availability }) => isOnSale(availability)) ?? priced[0] ?? first
  const { price: low = '' } = priced.reduce(
    (a, b) => (compare(b.price ?? '', a.price ?? '') < 0 ? b : a),
    best,
  )
  const { price: high = '' } = priced.reduce(
    (a, b) => (compare(b.price ?? '', a.price ?? '') > 0 ? b : a),
    best,
  )
  const availability = stateOf(all.map(({ availability }) => availability))
  if (priced.length < 2 || isSameAmount(low, high))
    return stated<ProductOffer>({
      ...best,
      currency: best.currency ?? all.find(({ currency }) => currency)?.currency,
      availability,
    })
  return stated<OfferRange>({
    kind: 'many',
    low,
    high,
    currency: best.currency,
    count: String(all.length),
    availability,
  })
}

const isOnSale = (state: string | undefined): boolean =>
  state !== undefined && !['OutOfStock', 'SoldOut', 'Discontinued'].includes(state)

const stateOf = (states: readonly (string | undefined)[]): string | undefined =>
  ['InStock', 'LimitedAvailability'].find(state => states.includes(state)) ??
  states.find(isOnSale) ??
  states.find(Boolean)

function offerOf(item: Item, asking: OfferSetting): ProductOffer {
  const currency = currencyAt(item)
  const price = priceAt(item, asking, currency)
  return stated<ProductOffer>({
    kind: 'one',
    price: price?.value,
    currency: currency ?? price?.code,
    availability: declaredState(textAt(item, 'availability')),
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
  const [low, high, price] = ['lowprice', 'highprice', 'price'].map(at)
  const one = low && (!high || isSameAmount(low, high)) ? low : undefined
  const count = /^\d{1,9}$/.exec(textAt(item, 'offercount')?.trim() ?? '')?.[0]
  if (low === undefined && high === undefined && price !== undefined) return offerOf(item, asking)
  if (one && (count === undefined || Number(count) <= 1))
    return stated<ProductOffer>({ ...offerOf(item, asking), price: one, currency })
  const availability = declaredState(textAt(item, 'availability'))
  const range = stated<OfferRange>({ kind: 'many', low, high, currency, count, availability })
  return Object.keys(range).length > 1 ? range : undefined
}

const currencyAt = (item: Item): string | undefined =>
  currencyCode(textAt(item, 'pricecurrency', 'currency')) ??
  itemsOf(item, 'pricespecification')
    .map(each => currencyCode(textAt(each, 'pricecurrency')))
    .find(Boolean)

interface Found {
  value: string
  code: string | undefined
}

/** A price that is crossed out, or for a kilo, or for members, does not count. */
function priceAt(item: Item, asking: OfferSetting, currency: string | undefined): Found | undefined {
  const own = valuesOf(item, 'price').map(value =>
    read(typeof value === 'string' ? value : textAt(value, 'value', 'price'), asking, currency),
  )
  const specified = itemsOf(item, 'pricespecification')
    .filter(isPlain)
    .map(each => read(textAt(each, 'price', 'minprice'), asking, currency))
  return [...own, ...specified].find(found => found !== undefined)
}

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
): Found | undefined {
  if (/^\s*(free|gratis|kostenlos|gratuit)\s*$/i.test(text ?? '')) return { value: '0', code: undefined }
  const found = statedPrice(text, locale, currency)
  return found && (isFree || !isZero(found.value))
    ? { value: found.value, code: found.currency?.code }
    : undefined
}

const dateOf = (text: string | undefined): string | undefined => {
  const date = text?.trim() ?? ''
  return /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(date) &&
    !Number.isNaN(Date.parse(date))
    ? date
    : undefined
}
