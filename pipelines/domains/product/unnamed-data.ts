/**
 * The product in JSON that a script assigns to a name that says nothing. It may be a product that is recommended,
 * wished for or compared, so it counts only where it is proven to be the page's own.
 */
import type { Facts } from './facts.ts'
import type { Script } from './markup.ts'
import type { ShownFacts } from './page.ts'
import { isSameAmount } from './price.ts'
import { assignedIn, type RawObject } from './script-data.ts'
import { factsOf } from './state.ts'
import { isSameName } from './texts.ts'

const mostValues = 20_000

/**
 * It has the form of Shopify's Storefront API and the page's own name, and no price of the page, shown or told,
 * contradicts it. Several of that name that differ prove nothing.
 */
export function unnamedFacts(scripts: readonly Script[], shown: ShownFacts, told: readonly Facts[]): Facts {
  const { name } = shown.facts
  if (name === undefined) return {}
  const own = [...assignedIn(scripts)]
    .flatMap(root => [...productsIn(root)])
    .filter(({ title }) => isSameName(title, name))
    .map(factsOf)
  const [first, ...more] = own
  if (!first || more.some(each => JSON.stringify(each) !== JSON.stringify(first))) return {}
  return isShown(first, shown) && told.every(each => agrees(first, each)) ? first : {}
}

const isShown = (facts: Facts, { facts: shown, amounts }: ShownFacts): boolean =>
  amounts.size === 0 || (pricesOf(shown).length > 0 && agrees(facts, shown) && isOfSameCurrency(facts, shown))

const isOfSameCurrency = ({ offers }: Facts, { offers: shown }: Facts): boolean =>
  shown?.currency === undefined || offers?.currency === shown.currency

/** Whether they have a price in common, or one has none. */
function agrees(facts: Facts, other: Facts): boolean {
  const others = pricesOf(other)
  return others.length === 0 || pricesOf(facts).some(price => others.some(each => isSameAmount(price, each)))
}

const pricesOf = ({ offers }: Facts): string[] =>
  (offers?.kind === 'many' ? [offers.low, offers.high] : [offers?.price]).filter(price => price !== undefined)

type Queried = RawObject & { title: string }

/** The products in a value, but none of a list of several. */
function* productsIn(root: unknown): Generator<Queried> {
  const queue: unknown[] = [root]
  for (let i = 0; i < queue.length; i++) {
    const value = queue[i] as object
    if (isQueried(value)) yield value
    const inner = Object.values(value).filter(isObject)
    const isList = Array.isArray(value) && inner.filter(holdsProduct).length > 1
    for (const each of isList ? [] : inner) if (queue.length < mostValues) queue.push(each)
  }
}

/** A list holds products themselves, or the nodes of a connection. */
const holdsProduct = (value: object): boolean =>
  isQueried(value) || Object.values(value).some(each => isObject(each) && isQueried(each))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isQueried(value: object): value is Queried {
  const { title, handle, variants, priceRange } = value as Record<string, unknown>
  const least = isObject(priceRange) && 'minVariantPrice' in priceRange && priceRange.minVariantPrice
  return (
    typeof title === 'string' &&
    (typeof handle === 'string' || isObject(variants)) &&
    isObject(least) &&
    'amount' in least &&
    'currencyCode' in least
  )
}
