/** Reads the product of a page: what the page declares of it first, then what the page shows. */
import { type Choice, choose, plainUrl, productsIn, type Subject } from './choose.ts'
import { currencyCode } from './currency.ts'
import { declaredFacts } from './declared.ts'
import type { Facts } from './facts.ts'
import { type Item, itemsOf, textAt } from './item.ts'
import { jsonLdItems } from './jsonld.ts'
import { localeOf } from './locale.ts'
import { readMarkup } from './markup.ts'
import { type Merged, merge, type Part } from './merge.ts'
import { metaFacts, metaText, readMeta } from './meta.ts'
import { microdataItems } from './microdata.ts'
import type { Asking } from './offers.ts'
import { shownFacts } from './page.ts'
import { idInUrl } from './page-labels.ts'
import { isSameAmount } from './price.ts'
import { rdfaItems } from './rdfa.ts'
import { sceneOf } from './scene.ts'
import { stateFacts } from './state.ts'

export type Warning =
  | 'declared_price_differs_from_page'
  | 'price_valid_until_past'
  | 'currency_from_symbol'
  | 'currency_unclear'
  | 'page_read_in_part'

export interface Product extends Merged {
  canonical: string | undefined
  /** Where the page sends its reader by itself: a meta refresh. */
  refresh: string | undefined
  warnings: Warning[]
}

export type Extracted =
  | { product: Product }
  /** `mayBeScripted`: scripts may bring what is missing. */
  | {
      nothing: 'not_a_product' | 'several_products'
      message: string
      refresh: string | undefined
      canonical: string | undefined
    }

export interface PageText {
  html: string
  /** As it was asked for. */
  url: string
  finalUrl: string
  now: number
}

/** From this on a price is likely to be the product's. */
const surePoints = 8

export function extract({ html, url, finalUrl, now }: PageText): Extracted {
  const markup = readMarkup(html)
  const meta = readMeta(markup)
  const at = new URL(finalUrl)
  const locale = localeOf(markup, at)
  const scene = sceneOf(markup, meta, locale, at)
  const canonical = linkTo(
    markup.elements.find(({ name, attributes }) => name === 'link' && attributes.rel === 'canonical')
      ?.attributes.href,
    at,
  )
  const refresh = refreshOf(metaRefresh(markup.elements), at)
  const titles = [scene.title, metaText(meta, 'og:title'), metaText(meta, 'twitter:title')].filter(
    text => text !== undefined,
  )
  const urls = new Set(
    [canonical, finalUrl, url, metaText(meta, 'og:url')]
      .filter(each => each !== undefined)
      .map(each => plainUrl(each, finalUrl)),
  )
  const subject: Subject = { urls, h1: scene.heading, titles }
  const asking: Asking = { locale, url: finalUrl, names: namedBy(at, url) }

  const syntaxes = [
    jsonLdItems(markup.scripts),
    ...[microdataItems(markup), rdfaItems(markup)].map(found =>
      found.filter(({ element }) => !scene.standsAside(element)).map(({ item }) => item),
    ),
  ]
  const choices = syntaxes.map(roots => choose(productsIn(roots).products, subject))
  const listed = syntaxes.reduce((most, roots) => Math.max(most, productsIn(roots).listed), 0)
  const declared: Part[] = choices.flatMap(choice =>
    choice && 'product' in choice
      ? { trust: 'declared' as const, facts: declaredFacts(choice.product, asking) }
      : [],
  )
  const several = severalIn(choices, listed)
  if (!declared.length && several && (several > 2 || listed > 1))
    return {
      nothing: 'several_products',
      message: `The page shows ${several} products, and none as its own`,
      refresh,
      canonical,
    }

  const tags = metaFacts(meta, locale)
  const state = stateFacts(markup.scripts, { heading: scene.heading, titles, id: idInUrl(at) })
  const shown = shownFacts(scene, state.prices)
  const isDeclared = declared.length > 0 || tags.offers?.kind === 'one'
  if (!isDeclared && !isProductPage(shown, meta, state.facts))
    return { nothing: 'not_a_product', message: 'The page shows no product', refresh, canonical }

  const parts: Part[] = [
    ...declared,
    { trust: 'declared', facts: tags },
    { trust: 'inferred', facts: state.facts },
    { trust: 'inferred', facts: shown.facts },
  ]
  const merged = merge(parts)
  const warnings = warningsOf(merged, shown.facts, { now, isCut: markup.isCut, points: shown.pricePoints })
  return { product: { ...merged, canonical, refresh, warnings } }
}

function severalIn(choices: readonly Choice[], listed: number): number {
  const counts = choices.flatMap(choice => (choice && 'several' in choice ? choice.several : []))
  return Math.max(listed, ...counts, 0)
}

function isProductPage(
  { facts, pricePoints, isForSale }: ReturnType<typeof shownFacts>,
  meta: ReturnType<typeof readMeta>,
  state: Facts,
): boolean {
  if (facts.name === undefined) return false
  const type = metaText(meta, 'og:type')?.toLowerCase() ?? ''
  const signs = [
    /product|item$/.test(type),
    state.offers !== undefined,
    isForSale,
    pricePoints > 0,
    pricePoints >= surePoints,
    facts.offers?.availability !== undefined,
    facts.sku !== undefined,
    facts.gtin !== undefined || facts.mpn !== undefined || facts.brand !== undefined,
  ]
  return signs.filter(Boolean).length >= 3
}

/** What the URL itself names of several: a variant by its own URL, its SKU, its colour. */
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

function warningsOf(
  { facts: { offers, doubts }, by }: Merged,
  shown: Facts,
  { now, isCut, points }: { now: number; isCut: boolean; points: number },
): Warning[] {
  const warnings: Warning[] = []
  if (offers?.kind === 'one') {
    const { price, validUntil } = offers
    const seen = shown.offers?.kind === 'one' ? shown.offers.price : undefined
    const isDeclared = by.get('offers.price') === 'declared'
    if (isDeclared && price && seen && points >= surePoints && !isSameAmount(price, seen))
      warnings.push('declared_price_differs_from_page')
    if (validUntil && Date.parse(validUntil) + 86_400_000 < now) warnings.push('price_valid_until_past')
  }
  if (by.get('offers.priceCurrency') === 'inferred' && doubts?.includes('currency_from_symbol'))
    warnings.push('currency_from_symbol')
  if (offers && currencyCode(offers.currency) === undefined && doubts?.includes('currency_unclear'))
    warnings.push('currency_unclear')
  if (isCut) warnings.push('page_read_in_part')
  return warnings
}

const linkTo = (href: string | undefined, base: URL): string | undefined =>
  href && URL.canParse(href, base) ? new URL(href, base).href : undefined

const metaRefresh = (elements: ReturnType<typeof readMarkup>['elements']): string | undefined =>
  elements.find(
    ({ name, attributes }) => name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'refresh',
  )?.attributes.content

/** A refresh in the first seconds is a redirect. */
function refreshOf(content: string | undefined, base: URL): string | undefined {
  const [, seconds, target] =
    /^\s*(\d+)[.\d]*\s*[;,]\s*(?:url\s*=\s*)?['"]?([^'"]+)/i.exec(content ?? '') ?? []
  return target !== undefined && Number(seconds) <= 5 ? linkTo(target.trim(), base) : undefined
}
