/** Real product pages, recorded: how well they are read, and that no value is invented. */
import { expect } from 'vitest'
import type { Extracted, Product } from '../../../../pipelines/domains/product/extract.ts'
import { pricesIn } from '../../../../pipelines/domains/product/price.ts'
import { f1, judge, precision, type RecordedPage, readPage, recordedPages } from '../../../product-pages.ts'
import { testRecorded } from '../../../samples.ts'
import { type Declared, declarations, restated } from './restated.ts'

let once: { pages: RecordedPage[]; found: Extracted[] } | undefined
function readAll(samples: string) {
  const pages = once?.pages ?? recordedPages(samples)
  once ??= { pages, found: pages.map(readPage) }
  return once
}

testRecorded('recorded pages are read as well as by the best that is sold', ({ samples }) => {
  const { pages, found } = readAll(samples)
  const { scores, declared } = judge(pages, found)
  expect(f1(scores.price)).toBeGreaterThanOrEqual(0.918)
  expect(f1(scores.sku)).toBeGreaterThanOrEqual(0.841)
  expect(f1(scores.availability)).toBeGreaterThanOrEqual(0.957)
  expect(precision(scores.brand)).toBeGreaterThanOrEqual(0.95)
  expect(precision(scores.currency)).toBeGreaterThanOrEqual(0.95)
  expect(precision(declared)).toBeGreaterThanOrEqual(0.966)
})

testRecorded('recorded pages have every value in their source: nothing is made up', ({ samples }) => {
  const { pages, found } = readAll(samples)
  const invented = pages.flatMap((page, i) => {
    const read = found[i]
    return read?.product ? inventedIn(page, read.product).map(what => `${page.id.slice(0, 6)} ${what}`) : []
  })
  expect(invented).toEqual([])
})

/** The fields that each page declares. */
const declaring = (samples: string) => {
  const { pages, found } = readAll(samples)
  return pages.flatMap((page, i) => {
    const product = found[i]?.product
    const declared = names.filter(field => product && byOf(field, product) === 'declared')
    return product ? { page, product, declared } : []
  })
}
const names = Object.keys(declarations) as Declared[]

testRecorded('recorded pages that declare other values are answered with them', ({ samples }) => {
  let answered = 0
  const kept = declaring(samples).flatMap(({ page, declared }) => {
    const html = declared.reduce((text, field) => restated(text, field, declarations[field].other), page.html)
    const after = readPage({ url: page.url, html }).product
    return declared.flatMap(field => {
      const value = after && valueIn(field, after.facts)
      if (value === undefined) return []
      answered++
      return declarations[field].other.endsWith(value) ? [] : `${page.id.slice(0, 6)} ${field} ${value}`
    })
  })
  expect(kept).toEqual([])
  expect(answered).toBeGreaterThan(150)
})

testRecorded(
  'recorded pages that lose a declared field never show the one of another product',
  ({ samples }) => {
    const own = new Set<Declared>(['offers.price', 'sku', 'brand.name'])
    const mixed = declaring(samples).flatMap(({ page, product, declared }) =>
      declared.flatMap(field => {
        // A neighbour has the same currency, and most likely the same stock.
        if (!own.has(field)) return []
        const after = readPage({ url: page.url, html: restated(page.html, field) }).product
        const [was, is] = [product, after].map(each => each && valueIn(field, each.facts))
        const isFine = is === undefined || is === was || isOwn(page, is)
        return isFine || byOf(field, after as Product) === 'inferred'
          ? []
          : `${page.id.slice(0, 6)} ${field} ${was} -> ${is}`
      }),
    )
    expect(mixed).toEqual([])
  },
)

const valueIn = (field: Declared, { sku, brand, offers }: Product['facts']): string | undefined =>
  ({
    sku,
    'brand.name': brand,
    'offers.price': offers?.kind === 'one' ? offers.price : offers?.low,
    'offers.priceCurrency': offers?.currency,
    'offers.availability': offers?.availability,
  })[field]

const byOf = (field: Declared, { by }: Product) =>
  by.get(field) ?? (field === 'offers.price' ? by.get('offers.lowPrice') : undefined)

/** Another syntax may declare the same field of the same product in another form. */
const isOwn = ({ truth }: RecordedPage, value: string): boolean =>
  [truth.price, truth.sku, truth.brand].some(each =>
    each?.some(text => text.trim().toLowerCase() === value.toLowerCase() || Number(text) === Number(value)),
  )

/** The values that were read but are not in the page. */
function inventedIn({ html, url }: RecordedPage, { facts }: Product): string[] {
  const source = unwritten(html)
  const hay = [source, withoutTags(source), url].map(squeezed).join('\n')
  const digits = hay.replace(/(?<=\d)[.,'’\u00a0\u202f]+(?=\d)/g, '')
  const texts = [
    facts.name,
    facts.description,
    facts.sku,
    facts.gtin,
    facts.mpn,
    facts.color,
    facts.size,
    facts.brand,
    facts.offers?.kind === 'one' ? facts.offers.seller : undefined,
    facts.group?.id,
  ]
  const numbers = [
    ...(facts.offers?.kind === 'one' ? [facts.offers.price] : [facts.offers?.low, facts.offers?.high]),
    facts.rating?.value,
    facts.rating?.count,
    facts.rating?.best,
  ]
  const currency = facts.offers?.currency
  return [
    ...texts.filter(
      text =>
        text !== undefined &&
        !hay.includes(squeezed(withoutTags(unwritten(text)))) &&
        !hay.includes(squeezed(text)) &&
        !digits.includes(text.replace(/[\s-]/g, '').toLowerCase()),
    ),
    ...numbers.filter(
      number =>
        number !== undefined &&
        !digits.includes(number.replace('.', '')) &&
        !digits.includes(number.replace(/\.?0+$/, '').replace('.', '')),
    ),
    ...(facts.images ?? []).filter(image => !source.includes(image) && !html.includes(image)),
    ...(currency && !source.includes(currency) && !hasSign(source, currency, url) ? [currency] : []),
  ].filter(each => each !== undefined)
}

const hasSign = (source: string, code: string, url: string): boolean => {
  const country = new URL(url).hostname.split('.').at(-1)?.toUpperCase()
  return [...withoutTags(source).matchAll(/.{0,12}\d.{0,12}/g)].some(([text]) =>
    pricesIn(text, { language: undefined, country: country === 'UK' ? 'GB' : country }).some(
      ({ currency }) => currency?.code === code,
    ),
  )
}

/** Entities and the escapes of JSON, twice: shops write one into the other. */
function unwritten(text: string): string {
  const once = (given: string) =>
    given
      .replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\\[nrt]/g, ' ')
      .replace(/\\(["'/\\])/g, '$1')
      .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
      .replace(/&#x([0-9a-f]+);/gi, (_, hex) =>
        String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
      )
      .replace(/&([a-z]+\d*);/gi, (whole, name) => entities[name] ?? whole)
  return once(once(text))
}
const entities: Record<string, string> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  nbsp: ' ',
  euro: '€',
  pound: '£',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  reg: '®',
  trade: '™',
  deg: '°',
}
const withoutTags = (text: string): string => text.replace(/<!--[\s\S]*?-->/g, '').replace(/<[^>]*>/g, '')
const squeezed = (text: string): string =>
  text.replace(/[\s\u00a0\u200b\u200e\u200f\ufeff]+/g, '').toLowerCase()
