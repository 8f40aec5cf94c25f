/** Several offers of one product as one: a price, or a range of prices in one currency. */
import { type OfferRange, type ProductOffer, stated } from './facts.ts'
import type { OfferSetting } from './offer-setting.ts'
import { compare, isSameAmount } from './price.ts'

type Offer = ProductOffer | OfferRange

/** Several offers at one price are one offer, which is in stock if any of them is. */
export function joined(offers: readonly Offer[], asking: OfferSetting): Offer | undefined {
  const told = ofOneCurrency(offers, asking)
  const [only, another] = told
  if (!only || !another) return only
  const all = told.flatMap(endsOf)
  const priced = all.filter(({ price }) => price !== undefined)
  const availability = stateOf(all.map(({ availability }) => availability))
  const best = priced.find(({ availability }) => isOnSale(availability)) ?? priced[0] ?? all[0]
  if (!best) return only
  const [low, high] = limitsOf(priced, best)
  if (priced.length < 2 || isSameAmount(low, high))
    return stated<ProductOffer>({
      ...best,
      currency: best.currency ?? all.find(({ currency }) => currency)?.currency,
      availability,
    })
  const { currency, isOfSeveral } = best
  const count = String(told.length)
  return stated<OfferRange>({ kind: 'many', low, high, currency, count, availability, isOfSeveral })
}

/** Prices in several currencies are no range. Those of the page's own currency count, or else of the first one. */
export function ofOneCurrency<T extends Offer>(all: readonly T[], asking: OfferSetting): T[] {
  const currencies = new Set(all.flatMap(each => (hasPrice(each) && each.currency) || []))
  if (currencies.size < 2) return [...all]
  const [first] = currencies
  const chosen = asking.currency !== undefined && currencies.has(asking.currency) ? asking.currency : first
  return all.filter(({ currency }) => currency === chosen).map(each => ({ ...each, isOfSeveral: true }))
}

export const hasPrice = (offer: Offer): boolean =>
  (offer.kind === 'one' ? offer.price : (offer.low ?? offer.high)) !== undefined

/** A range as its two ends. */
function endsOf(offer: Offer): ProductOffer[] {
  if (offer.kind === 'one') return [offer]
  const { low, high, currency, availability, isOfSeveral } = offer
  const ends = low === undefined && high === undefined ? [undefined] : [low, high].filter(Boolean)
  return ends.map(price => stated<ProductOffer>({ kind: 'one', price, currency, availability, isOfSeveral }))
}

function limitsOf(priced: readonly ProductOffer[], best: ProductOffer): [low: string, high: string] {
  const most = (sign: 1 | -1) =>
    priced.reduce((a, b) => (sign * compare(b.price ?? '', a.price ?? '') > 0 ? b : a), best).price ?? ''
  return [most(-1), most(1)]
}

const isOnSale = (state: string | undefined): boolean =>
  state !== undefined && !['OutOfStock', 'SoldOut', 'Discontinued'].includes(state)

const stateOf = (states: readonly (string | undefined)[]): string | undefined =>
  ['InStock', 'LimitedAvailability'].find(state => states.includes(state)) ??
  states.find(isOnSale) ??
  states.find(Boolean)
