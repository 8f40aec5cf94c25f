/** Decides between two prices that a page declares. */
import { type Facts, type ProductOffer, stated } from './facts.ts'
import type { ProductPart } from './merge.ts'
import { type ShownFacts, surePoints } from './page.ts'
import { isSameAmount, shortest } from './price.ts'

/**
 * Shops renew the price tags of a page and forget its data: auctions do so at each bid. The visible text decides. If
 * the page clearly shows the price of the tags, another price in the data is left out.
 */
export function withoutOldPrice(data: readonly ProductPart[], tags: Facts, shown: ShownFacts): ProductPart[] {
  const price = priceOf(tags)
  const isWitnessed = shown.pricePoints >= surePoints && isSame(price, priceOf(shown.facts))
  return data.map(part => {
    const { offers } = part.facts
    if (!isWitnessed || offers?.kind !== 'one') return part
    const { price: old, validUntil, ...rest } = offers
    return old === undefined || isSame(price, old)
      ? part
      : { ...part, facts: { ...part.facts, offers: rest } }
  })
}

/**
 * Some shops declare a price and the one before it as a range. The page shows the higher one as a price of the past. A
 * range of several offers or variants is one, whatever the page shows of it.
 */
export const withoutPastLimit = (data: readonly ProductPart[], shown: ShownFacts): ProductPart[] =>
  data.map(part => {
    const { offers, group } = part.facts
    if (offers?.kind !== 'many' || Number(offers.count ?? 1) > 1 || group?.variants.length) return part
    if (offers.low === undefined || offers.high === undefined) return part
    const { low, high, currency, availability } = offers
    if (!shown.pastAmounts.has(shortest(high)) || !isSame(low, priceOf(shown.facts))) return part
    const one = stated<ProductOffer>({ kind: 'one', price: low, currency, availability })
    return { ...part, facts: { ...part.facts, offers: one } }
  })

const priceOf = ({ offers }: Facts): string | undefined => (offers?.kind === 'one' ? offers.price : undefined)

const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && isSameAmount(a, b)
