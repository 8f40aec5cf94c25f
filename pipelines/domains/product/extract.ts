/** Reads the product of a page: first the declarations, then the visible content. */
import { choose, type ProductChoice, plainUrl, productsIn, type Subject } from './choose.ts'
import { withoutOldPrice, withoutPastLimit } from './contradiction.ts'
import { declaredFacts } from './declared.ts'
import type { Facts } from './facts.ts'
import { type Item, itemsOf, textAt } from './item.ts'
import { jsonLdItems } from './jsonld.ts'
import { type Links, linksOf } from './links.ts'
import { localeOf } from './locale.ts'
import { readMarkup } from './markup.ts'
import { type Merged, merge, type ProductPart, withoutMistyped } from './merge.ts'
import { currencyOfTags, metaFacts, metaText, readMeta } from './meta.ts'
import { microdataItems } from './microdata.ts'
import type { OfferSetting } from './offer-setting.ts'
import { shownFacts, surePoints } from './page.ts'
import { saysFree } from './page-amounts.ts'
import { idInUrl } from './page-labels.ts'
import { withPrinted } from './printed-codes.ts'
import { rdfaItems } from './rdfa.ts'
import { sceneOf } from './scene.ts'
import { confirmed, stateFacts } from './state.ts'
import { unnamedFacts } from './unnamed-data.ts'
import { type ProductWarning, warningsOf } from './warnings.ts'

export interface Product extends Merged {
  warnings: ProductWarning[]
}

export type Extracted = Links & {
  /** Whether scripts may add the missing data. */
  isScripted: boolean
} & (
    | { product: Product; nothing?: undefined }
    | { product?: undefined; nothing: 'not_a_product' | 'several_products'; message: string }
  )

export interface ProductText {
  html: string
  /** The requested URL. */
  url: string
  finalUrl: string
  now: number
}

export function extract({ html, url, finalUrl, now }: ProductText): Extracted {
  const markup = readMarkup(html)
  const meta = readMeta(markup)
  const at = new URL(finalUrl)
  const locale = localeOf(markup, at)
  const scene = sceneOf(markup, meta, locale, at)
  const links = linksOf(markup, at)
  const about = { ...links, isScripted: markup.scripts.some(({ type }) => !type.includes('json')) }
  const titles = [scene.title, metaText(meta, 'og:title'), metaText(meta, 'twitter:title')].filter(
    text => text !== undefined,
  )
  const urls = new Set(
    [links.canonical, finalUrl, url, metaText(meta, 'og:url')]
      .filter(each => each !== undefined)
      .map(each => plainUrl(each, finalUrl)),
  )
  const subject: Subject = { urls, h1: scene.heading, titles }
  const tags = metaFacts(meta, locale)
  const state = stateFacts(markup.scripts, { heading: scene.heading, titles, id: idInUrl(at) })
  const shown = shownFacts(scene, state.prices)
  const asking: OfferSetting = {
    locale,
    url: finalUrl,
    names: namedBy(at, url),
    isFree: saysFree(scene),
    currency: currencyOfTags(meta) ?? shown.facts.offers?.currency,
  }

  const syntaxes = [
    jsonLdItems(markup.scripts),
    ...[microdataItems(markup), rdfaItems(markup)].map(found =>
      found.filter(({ element }) => !scene.standsAside(element)).map(({ item }) => item),
    ),
  ]
  const choices = syntaxes.map(roots => choose(productsIn(roots).products, subject))
  const listed = syntaxes.reduce((most, roots) => Math.max(most, productsIn(roots).listed), 0)
  const declared: ProductPart[] = choices.flatMap(choice =>
    choice && 'product' in choice
      ? { trust: 'declared' as const, facts: declaredFacts(choice.product, asking) }
      : [],
  )
  const several = severalIn(choices, listed)
  if (!declared.length && several && (several > 2 || listed > 1))
    return { ...about, nothing: 'several_products', message: severalText(several) }

  const isDeclared = declared.length > 0 || tags.offers?.kind === 'one'
  const hasOffer = declared.some(({ facts }) => facts.offers) || tags.offers?.kind === 'one'
  if (!hasOffer && shown.cards >= fewestCards)
    return { ...about, nothing: 'several_products', message: severalText(shown.cards) }
  const stateOf = confirmed(state.facts, shown.amounts)
  const unnamed = unnamedFacts(markup.scripts, shown, [...declared.map(({ facts }) => facts), tags, stateOf])
  if (!isDeclared && !isProductPage(shown, meta, stateOf.offers ?? unnamed.offers))
    return { ...about, nothing: 'not_a_product', message: 'The page shows no product' }

  const current = withoutPastLimit(declared, shown)
  const settled = withoutOldPrice(current, tags, shown)
  const parts: ProductPart[] = [
    ...settled,
    { trust: 'declared', facts: tags },
    { trust: 'inferred', facts: stateOf },
    { trust: 'inferred', facts: unnamed },
    { trust: 'inferred', facts: shown.facts },
  ]
  const merged = withPrinted(merge(parts), shown.codes)
  const hasOldPrice = settled.some((part, i) => part !== current[i])
  const seen = { now, isCut: markup.isCut, shown, hasOldPrice }
  return { ...about, product: { ...withoutMistyped(merged), warnings: warningsOf(merged, seen) } }
}

/** A row of neighbours is shorter, or is outside of the main content. */
const fewestCards = 4
const severalText = (count: number): string => `The page shows ${count} products, and none as its own`

function severalIn(choices: readonly ProductChoice[], listed: number): number {
  const counts = choices.flatMap(choice => (choice && 'several' in choice ? choice.several : []))
  return Math.max(listed, ...counts, 0)
}

function isProductPage(
  { facts, pricePoints, isForSale }: ReturnType<typeof shownFacts>,
  meta: ReturnType<typeof readMeta>,
  offers: Facts['offers'],
): boolean {
  if (facts.name === undefined) return false
  const type = metaText(meta, 'og:type')?.toLowerCase() ?? ''
  // An article about a product has no buy button.
  if (/^article/.test(type) && !isForSale) return false
  const signs = [
    /product|item$/.test(type),
    offers !== undefined,
    isForSale,
    pricePoints > 0,
    pricePoints >= surePoints,
    facts.offers?.availability !== undefined,
    facts.sku !== undefined,
    facts.gtin !== undefined || facts.mpn !== undefined || facts.brand !== undefined,
  ]
  return signs.filter(Boolean).length >= 3
}

/** The URL may name one of several variants: by the variant's own URL, its SKU or its colour. */
function namedBy(final: URL, asked: string): (item: Item) => boolean {
  const own = new Set([plainUrl(final.href), plainUrl(asked)])
  const values = new Set(
    [...final.searchParams, ...(URL.canParse(asked) ? new URL(asked).searchParams : [])]
      .filter(([name]) =>
        /^(variant|variation|sku|childsku|color|colour|size|pid|id|v|item|option)/i.test(name),
      )
      .map(([, value]) => value.toLowerCase()),
  )
  return item => {
    const url =
      textAt(item, 'url') ??
      itemsOf(item, 'offers')
        .map(offer => textAt(offer, 'url'))
        .find(Boolean)
    if (url !== undefined && own.has(plainUrl(url, final.href)) && new URL(url, final).search !== '')
      return true
    return ['sku', 'productid', 'color', 'mpn'].some(name => {
      const value = textAt(item, name)?.toLowerCase()
      return value !== undefined && values.has(value)
    })
  }
}
