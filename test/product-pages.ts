/** The recorded product pages with their hand-made truth, and how what was read is judged by it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Extracted, extract } from '../pipelines/domains/product/extract.ts'
import type { Facts } from '../pipelines/domains/product/facts.ts'
import { shortest } from '../pipelines/domains/product/price.ts'

interface Truth {
  url: string
  price?: string[]
  sku?: string[]
  availability?: string[]
  brand?: string[]
  currency?: string[]
}

export interface RecordedPage {
  id: string
  url: string
  truth: Truth
  html: string
}

export function recordedPages(samples: string): RecordedPage[] {
  const folder = join(samples, 'siblings/products')
  const truths = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8')) as Record<string, Truth>
  return Object.entries(truths).map(([id, truth]) => ({
    id,
    url: truth.url,
    truth,
    html: gunzipSync(readFileSync(join(folder, `${id}.html.gz`))).toString('utf8'),
  }))
}

/** The pages are of these days. */
const recordedAt = Date.parse('2020-12-03T00:00:00Z')

export const readPage = ({ url, html }: Pick<RecordedPage, 'url' | 'html'>): Extracted =>
  extract({ html, url, finalUrl: url, now: recordedAt })

export const fields = ['price', 'sku', 'availability', 'brand', 'currency'] as const
export type Field = (typeof fields)[number]

export interface Score {
  right: number
  wrong: number
  missed: number
}

export const precision = ({ right, wrong }: Score): number => (right + wrong ? right / (right + wrong) : 1)
export const recall = ({ right, missed }: Score): number => (right + missed ? right / (right + missed) : 1)
export const f1 = (score: Score): number => {
  const [p, r] = [precision(score), recall(score)]
  return p + r ? (2 * p * r) / (p + r) : 0
}

/** As the benchmark's own evaluation counts: a wrong value where there is one to find is missed too. */
export function count(
  score: Score,
  truth: readonly string[] | undefined,
  found: string | undefined,
  same: Same,
): void {
  const has = truth !== undefined && truth.length > 0
  if (found !== undefined && truth?.some(each => same(each, found))) score.right += 1
  else {
    if (found !== undefined) score.wrong += 1
    if (has) score.missed += 1
  }
}

type Same = (truth: string, found: string) => boolean

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The benchmark compares prices as decimals, and SKUs and stock as they are. Brand and currency it does not judge. */
export const sameField: Record<Field, Same> = {
  price: (truth, found) => shortest(truth.trim()) === shortest(found),
  sku: (truth, found) => truth === found,
  availability: (truth, found) => truth === found,
  // `adidas Performance` is adidas.
  brand: (truth, found) => {
    const [a, b] = [words(truth), words(found)]
    return a.every(word => b.includes(word)) || b.every(word => a.includes(word))
  },
  currency: (truth, found) => (meanings[truth.replace(/[~.]/g, '').toLowerCase()] ?? [truth]).includes(found),
}

/** What a sign of the truth may mean on the sites of the benchmark. */
const meanings: Record<string, readonly string[]> = {
  '€': ['EUR'],
  '£': ['GBP'],
  $: ['USD', 'CAD', 'AUD', 'ARS', 'CLP', 'MXN'],
  '₹': ['INR'],
  rs: ['INR', 'PKR'],
  zł: ['PLN'],
  kn: ['HRK'],
  тг: ['KZT'],
  원: ['KRW'],
  رس: ['SAR'],
}

/** One value for each field. The benchmark takes a page that says nothing of stock as in stock; we do not. */
export function comparable({ offers, sku, brand }: Facts): Partial<Record<Field, string>> {
  const isOut = ['OutOfStock', 'SoldOut', 'Discontinued'].includes(offers?.availability ?? '')
  const price = offers?.kind === 'one' ? offers.price : offers?.low
  const found = {
    price,
    sku,
    brand,
    currency: offers?.currency,
    availability: isOut ? 'OutOfStock' : 'InStock',
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

const dotted: Record<Field, readonly string[]> = {
  price: ['offers.price', 'offers.lowPrice'],
  sku: ['sku'],
  availability: ['offers.availability'],
  brand: ['brand.name'],
  currency: ['offers.priceCurrency'],
}

export interface Judgement {
  scores: Record<Field, Score>
  /** Of the fields that the page itself declares. */
  declared: Score
}

export function judge(pages: readonly RecordedPage[], found: readonly Extracted[]): Judgement {
  const none = (): Score => ({ right: 0, wrong: 0, missed: 0 })
  const scores = Object.fromEntries(fields.map(field => [field, none()])) as Judgement['scores']
  const declared = none()
  for (const [i, { truth }] of pages.entries()) {
    const page = found[i] as Extracted
    const { product } = page
    const values = comparable(product?.facts ?? {})
    for (const field of fields) {
      // Nobody wrote down every brand and every currency.
      if (truth[field] === undefined && (field === 'brand' || field === 'currency')) continue
      count(scores[field], truth[field], values[field], sameField[field])
      const isDeclared = dotted[field].some(name => product?.by.get(name) === 'declared')
      if (isDeclared && truth[field]) count(declared, truth[field], values[field], sameField[field])
    }
  }
  return { scores, declared }
}
