/** The data that a shop system keeps in its scripts: its product as JSON, its initial state, its data for analytics. */
import { declaredState } from './availability.ts'
import { currencyCode } from './currency.ts'
import { gtinOf } from './declared.ts'
import { type Facts, type ProductOffer, stated } from './facts.ts'
import { endOf, lenientReader, type ReadLenient } from './lenient-json.ts'
import type { Script } from './markup.ts'
import { isZero, shortest, statedPrice } from './price.ts'
import { likeness, plainText } from './texts.ts'

const mostCharacters = 3 << 20
const mostObjects = 20_000
const mostLiteral = 1 << 20
const mostUnquoted = 40_000

const begins =
  /(?:(?:__NEXT_DATA__|__INITIAL_STATE__|__PRELOADED_STATE__|__INITIAL_DATA__|__APOLLO_STATE__|dataLayer|digitalData|digital_data|utag_data|ShopifyAnalytics\.meta|\bmeta|\bproduct(?:_?(?:data|info|json|detail|details))?|\bitem|\bpageData)\s*=\s*|dataLayer\.push\(\s*|['"]view_item['"]\s*,\s*|['"]ViewContent['"]\s*,\s*|['"]ec:addProduct['"]\s*,\s*)(?=[[{])/gi

interface StateFacts {
  facts: Facts
  /** Every price in a product of that name. */
  prices: ReadonlySet<string>
}

type Raw = Record<string, unknown>

export function stateFacts(
  scripts: readonly Script[],
  { heading, titles, id }: { heading: string | undefined; titles: readonly string[]; id: string | undefined },
): StateFacts {
  const prices = new Set<string>()
  let best: { raw: Raw; points: number } | undefined
  for (const raw of objectsIn(scripts)) {
    const name = textOf(
      raw,
      'name',
      'title',
      'productName',
      'product_name',
      'item_name',
      'displayName',
      'productTitle',
    )
    if (name === undefined || name.length > 300) continue
    const like = Math.max(likeness(name, heading), ...titles.map(title => 0.85 * likeness(name, title)))
    if (like < 0.7) continue
    const price = priceOf(raw)
    if (price) for (const each of [shortest(price), centsOf(price)]) if (each) prices.add(each)
    const points =
      like +
      (price ? 0.5 : 0) +
      (id && idOf(raw)?.includes(id) ? 0.5 : 0) +
      Math.min(0.2, Object.keys(raw).length / 100)
    if (!best || points > best.points) best = { raw, points }
  }
  return { facts: best ? factsOf(best.raw) : {}, prices }
}

/** A page with visible amounts also shows the price, perhaps with a point if its state counts cents. */
export function confirmed(facts: Facts, amounts: ReadonlyMap<string, number>): Facts {
  const { offers, ...rest } = facts
  if (offers?.kind !== 'one' || offers.price === undefined || amounts.size === 0) return facts
  if (amounts.has(shortest(offers.price))) return facts
  const cents = centsOf(offers.price)
  if (cents !== undefined && amounts.has(cents)) return { ...rest, offers: { ...offers, price: cents } }
  return rest
}

const centsOf = (value: string): string | undefined =>
  /^\d{3,}$/.test(value) ? shortest(`${value.slice(0, -2)}.${value.slice(-2)}`) : undefined

function* objectsIn(scripts: readonly Script[]): Generator<Raw> {
  let left = mostCharacters
  let objects = 0
  const read = lenientReader()
  for (const { type, text } of scripts) {
    if (text.length > left || type.includes('ld+json') || !/price/i.test(text)) continue
    left -= text.length
    for (const root of rootsOf(type, text, read)) {
      const queue: unknown[] = [root]
      for (let i = 0; i < queue.length && objects < mostObjects; i++) {
        const value = queue[i]
        if (typeof value !== 'object' || value === null) continue
        objects += 1
        if (!Array.isArray(value)) yield value as Raw
        for (const inner of Object.values(value).slice(0, 2_000))
          if (typeof inner === 'object' && inner !== null && queue.length < mostObjects) queue.push(inner)
      }
    }
  }
}

function rootsOf(type: string, text: string, read: ReadLenient): unknown[] {
  if (type.includes('json')) return json(text.trim(), read)
  const roots: unknown[] = []
  let until = 0
  for (const match of text.matchAll(begins)) {
    const start = match.index + match[0].length
    if (start < until || roots.length >= 30) continue
    until = endOf(text, start, Math.min(text.length, start + mostLiteral))
    roots.push(...json(text.slice(start, until), read))
  }
  return roots
}

/** Script literals have unquoted names and strings in single quotes. Only short ones are worth a repair. */
function json(text: string, read: ReadLenient): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return text.length <= mostUnquoted && !/\bfunction\b|=>/.test(text) ? read(text) : []
  }
}

const own = (raw: Raw, name: string): unknown => (Object.hasOwn(raw, name) ? raw[name] : undefined)

function textOf(raw: Raw, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = own(raw, name)
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

const nested = (raw: Raw, name: string): Raw | undefined => {
  const value = own(raw, name)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined
}

const priceNames = [
  'salePrice',
  'sale_price',
  'currentPrice',
  'finalPrice',
  'final_price',
  'price',
  'sellingPrice',
  'product_price',
  'item_price',
  'unit_price',
  'value',
]

/** Shopify writes cents. Only its variants show that a page is from Shopify. */
const inCents = (raw: Raw): boolean => Array.isArray(own(raw, 'variants')) && own(raw, 'vendor') !== undefined

function priceOf(raw: Raw): string | undefined {
  const prices = nested(raw, 'price') ?? nested(raw, 'prices') ?? nested(raw, 'offers')
  const written =
    textOf(raw, ...priceNames.slice(0, -1)) ??
    (prices && textOf(prices, ...priceNames, 'amount', 'current', 'min'))
  if (written === undefined) return undefined
  const value = statedPrice(written, { language: 'en', country: undefined })?.value
  if (value === undefined || isZero(value)) return undefined
  if (!inCents(raw) || value.includes('.')) return value
  return centsOf(value) ?? value
}

const idOf = (raw: Raw): string | undefined =>
  textOf(
    raw,
    'sku',
    'productSku',
    'product_sku',
    'item_id',
    'productId',
    'product_id',
    'productID',
    'id',
    'code',
    'itemId',
  )

function factsOf(raw: Raw): Facts {
  const prices = nested(raw, 'price') ?? nested(raw, 'prices')
  const currency = currencyCode(
    textOf(raw, 'currency', 'currencyCode', 'priceCurrency', 'product_currency') ??
      (prices && textOf(prices, 'currency', 'currencyCode')),
  )
  const brand = nested(raw, 'brand')
  const offer = stated<ProductOffer>({
    kind: 'one',
    price: priceOf(raw),
    currency,
    availability: stockOf(raw),
  })
  return stated<Facts>({
    sku: identifier(textOf(raw, 'sku', 'productSku', 'product_sku') ?? skuOfOnly(raw)),
    mpn: plainText(textOf(raw, 'mpn')),
    gtin: gtinOf(textOf(raw, 'gtin13', 'gtin', 'ean', 'upc', 'isbn')),
    brand: plainText(
      textOf(raw, 'brand', 'brandName', 'item_brand', 'product_brand') ??
        (brand && textOf(brand, 'name', 'title')),
    ),
    offers: offer.price === undefined ? undefined : offer,
  })
}

const skuOfOnly = (raw: Raw): string | undefined => {
  const variants = own(raw, 'variants')
  const [only, another] = Array.isArray(variants) ? variants : []
  return only && !another && typeof only === 'object' ? textOf(only as Raw, 'sku') : undefined
}

const identifier = (text: string | undefined): string | undefined =>
  text !== undefined && /^\S{2,40}$/.test(text.trim()) ? text.trim() : undefined

function stockOf(raw: Raw): string | undefined {
  const flag = own(raw, 'available') ?? own(raw, 'inStock') ?? own(raw, 'in_stock') ?? own(raw, 'isInStock')
  if (typeof flag === 'boolean') return flag ? 'InStock' : 'OutOfStock'
  const text = own(raw, 'availability') ?? own(raw, 'stockStatus')
  return typeof text === 'string' ? declaredState(text) : undefined
}
