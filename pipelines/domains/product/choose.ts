/** Finds the page's own product among all the products that it names. */
import { type Item, is, itemsOf, textAt } from './item.ts'
import { likeness } from './texts.ts'

const products = [
  'product',
  'productgroup',
  'individualproduct',
  'productmodel',
  'someproducts',
  'vehicle',
  'car',
  'motorcycle',
]
/** These are products if they have an offer. */
const works = ['book', 'musicalbum', 'movie', 'videogame', 'softwareapplication', 'creativework']

/** The only properties that lead to a product, and not to its neighbours, its reviews or a list. */
const leads = ['mainentity', 'mainentityofpage', 'about', 'itemoffered', 'subjectof']

export interface Subject {
  /** The canonical URL, the final URL and the requested one, each in its plain form. */
  urls: ReadonlySet<string>
  h1: string | undefined
  titles: readonly string[]
}

export type ProductChoice = { product: Item } | { several: number } | undefined

const mostVisited = 10_000

export function productsIn(roots: readonly Item[]): { products: Item[]; listed: number } {
  const found: Item[] = []
  const seen = new Set<Item>()
  const queue = [...roots]
  let listed = 0
  for (const item of queue) {
    if (seen.size >= mostVisited) break
    if (seen.has(item)) continue
    seen.add(item)
    if (isProduct(item)) found.push(item)
    else if (is(item, 'itemlist', 'offercatalog', 'collectionpage')) listed += listedIn(item)
    for (const led of itemsOf(item, ...leads)) queue.push(led)
  }
  const groups = new Set(found.flatMap(item => itemsOf(item, 'isvariantof')))
  const variants = new Set(found.flatMap(item => itemsOf(item, 'hasvariant')))
  return { products: found.filter(item => !groups.has(item) && !variants.has(item)), listed }
}

const isProduct = (item: Item): boolean =>
  is(item, ...products) || (is(item, ...works) && item.properties.has('offers'))

const listedIn = (item: Item): number =>
  itemsOf(item, 'itemlistelement').filter(each => isProduct(each) || itemsOf(each, 'item').some(isProduct))
    .length

export function choose(candidates: readonly Item[], subject: Subject): ProductChoice {
  const named = candidates.filter(item => textAt(item, 'name') !== undefined || item.properties.has('offers'))
  const judged = named.map(item => ({ item, points: pointsOf(item, subject) }))
  const best = judged.reduce((most, { points }) => Math.max(most, points), 0)
  const equal = judged.filter(({ points }) => points > best - 0.02).map(({ item }) => item)
  const [first] = equal
  if (!first) return undefined
  const isAlone = named.length === 1
  if (isAlone) return isOther(first, subject) ? undefined : { product: first }
  if (best < 0.35) return { several: named.length }
  const names = new Set(equal.map(item => textAt(item, 'name')?.toLowerCase()))
  if (names.size > 2 && equal.length > 2 && best < 0.9) return { several: named.length }
  return { product: groupOf(equal) ?? equal.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a)) }
}

/** Shops declare the sizes of one product as products with the same name, each with its own SKU. */
function groupOf(items: readonly Item[]): Item | undefined {
  const [first] = items
  const skus = new Set(items.map(item => textAt(item, 'sku', 'productid')))
  if (!first || skus.size < items.length || skus.size < 2 || skus.has(undefined)) return undefined
  if (new Set(items.map(item => textAt(item, 'name'))).size > 1) return undefined
  const shared = [...first.properties].filter(([name]) => !ofVariant.has(name))
  return {
    types: ['productgroup'],
    id: undefined,
    properties: new Map([...shared, ['hasvariant', [...items]]]),
  }
}

const ofVariant = new Set([
  'sku',
  'productid',
  'mpn',
  'gtin',
  'gtin8',
  'gtin12',
  'gtin13',
  'gtin14',
  'color',
  'size',
  'offers',
  'url',
])

/** If one product is declared twice, the larger declaration counts. */
const weightOf = ({ properties }: Item): number => properties.size + (properties.has('offers') ? 20 : 0)

function pointsOf(item: Item, { urls, h1, titles }: Subject): number {
  const own = [
    textAt(item, 'url'),
    item.id,
    ...itemsOf(item, 'offers')
      .slice(0, 50)
      .map(offer => textAt(offer, 'url')),
  ]
  const byUrl = own.some(url => url !== undefined && urls.has(plainUrl(url))) ? 1 : 0
  const name = textAt(item, 'name')
  const byName = Math.max(likeness(name, h1), ...titles.map(title => 0.9 * likeness(name, title)))
  return byUrl + byName
}

/** The only marked product may be a neighbour of the page's product. */
function isOther(item: Item, subject: Subject): boolean {
  const { h1, titles } = subject
  const hints = [h1, ...titles].filter(Boolean)
  return hints.length > 0 && textAt(item, 'name') !== undefined && pointsOf(item, subject) < 0.1
}

/** Brings URLs of one page into one form: scheme, `www.`, a slash at the end and letter case do not count. */
export function plainUrl(url: string, base?: string): string {
  if (!URL.canParse(url, base)) return url
  const { hostname, pathname, search } = new URL(url, base)
  return `${hostname.replace(/^www\./, '')}${pathname.replace(/(?<!\/)\/+$/, '')}${search}`.toLowerCase()
}
