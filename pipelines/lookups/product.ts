/**
 * The product of a public page. It reads the page as its server sends it, and only if that lacks something as a
 * browser shows it.
 */
import { productsLastMs, productsSeen } from '../../schemas/products-seen.ts'
import { instant } from '../../schemas/values/values.ts'
import { pages } from '../domains/document/pages.ts'
import { sourceOf } from '../domains/document/source.ts'
import type { Extracted } from '../domains/product/extract.ts'
import type { Facts } from '../domains/product/facts.ts'
import type { FieldTrust } from '../domains/product/merge.ts'
import {
  type ProductReader,
  products,
  TaskBroke,
  TaskTooLong,
  TooManyTasks,
} from '../domains/product/reader.ts'
import type { ProductWarning } from '../domains/product/warnings.ts'
import { NotReady } from '../rails/failures.ts'
import { Busy } from '../rails/outside/browser/browser-failures.ts'
import {
  type FindPage,
  isPage,
  type NoPage,
  type Page,
  type PageRefusal,
} from '../rails/outside/pages/page.ts'
import { sha256 } from '../rails/signing/sha256.ts'
import { keeping, type Lookup } from './lookup.ts'

interface ProductAsked {
  url: string
  askedAt: number
  /** The greatest age of a reading that still answers. */
  maxAgeMs: number
}

/** The result of reading a URL. */
export interface LookedProduct {
  url: string
  finalUrl: string
  canonical: string | undefined
  rendered: boolean
  fetchedAt: number
  product: { facts: Facts; by: Record<string, FieldTrust>; warnings: ProductWarning[] } | undefined
  /** The reason why there is no product. */
  nothing: { refusal: PageRefusal | 'not_a_product' | 'several_products'; message: string } | undefined
}

interface Needs {
  pages: FindPage
  products: ProductReader
}

export const productLookup: Lookup<ProductAsked, LookedProduct, Needs> = {
  name: 'product',
  timeoutMs: 28_000,
  keep: keeping({
    dataset: productsSeen,
    nameOf: ({ url }: ProductAsked) => sha256(url),
    write: (url_hash, { value, at }) => ({
      url_hash,
      fetched_at: instant(value?.fetchedAt ?? at),
      seen: value?.product ? JSON.stringify(value) : null,
    }),
    read: ({ seen, fetched_at }) => ({
      value: seen === null ? undefined : (JSON.parse(seen) as LookedProduct),
      at: Date.parse(fetched_at),
    }),
    lasts: value => {
      const ms = value?.product ? productsLastMs : 0
      // A page that is no longer asked for is not visited again.
      return { freshMs: ms, staleMs: ms, renewMs: ms }
    },
    most: 5_000,
    fetchMs: 28_000,
    fits: ({ askedAt, maxAgeMs }, value) => value !== undefined && value.fetchedAt >= askedAt - maxAgeMs,
  }),
  // A browser may show the page.
  costly: { mayBe: () => true, was: seen => seen?.rendered ?? false },
  needs: async ({ use }) => ({ pages: (await use(pages)).find, products: await use(products) }),
  open: needs => ({ find: asked => seenAt(asked, needs) }),
}

const mostRefreshes = 2

async function seenAt(asked: ProductAsked, { pages, products }: Needs): Promise<LookedProduct> {
  let url = asked.url
  for (let refreshes = 0; ; refreshes++) {
    const found = await pages({ url, render: 'never', maxAgeMs: asked.maxAgeMs })
    if (!isPage(found)) return without(asked, found)
    const read = await reading(asked, found, products)
    const refresh = refreshOf(read)
    // A page that immediately sends its reader elsewhere is a redirect, as in a browser.
    if (refresh === undefined || refreshes === mostRefreshes)
      return better(asked, found, read, { pages, products })
    url = refresh
  }
}

const refreshOf = (read: Extracted | NoPage): string | undefined =>
  'refusal' in read ? undefined : read.refresh

/** Scripts may add what the server's page lacks. Without a browser, the server's page decides. */
async function better(
  asked: ProductAsked,
  page: Page,
  read: Extracted | NoPage,
  { pages, products }: Needs,
): Promise<LookedProduct> {
  const seen = seenIn(asked, page, read)
  if ('refusal' in read || !lacks(read)) return seen
  try {
    const shown = await pages({ url: page.finalUrl, render: 'always', maxAgeMs: asked.maxAgeMs })
    if (!isPage(shown)) return seen.product ? seen : without(asked, shown)
    const again = seenIn(asked, shown, await reading(asked, shown, products))
    return again.product || !seen.product ? again : seen
  } catch (error) {
    if (seen.product && (error instanceof NotReady || error instanceof Busy)) return seen
    throw error
  }
}

function lacks(read: Extracted): boolean {
  if (!read.isScripted) return false
  if (!read.product) return read.nothing === 'not_a_product'
  const { offers } = read.product.facts
  const hasPrice =
    offers && (offers.kind === 'one' ? offers.price : (offers.low ?? offers.high)) !== undefined
  return !hasPrice && offers?.availability !== 'OutOfStock'
}

async function reading(
  asked: ProductAsked,
  page: Page,
  products: ProductReader,
): Promise<Extracted | NoPage> {
  const { hostname } = new URL(page.finalUrl)
  if (!/html|xml/.test(page.contentType))
    return { refusal: 'not_a_page', message: `${hostname} sends ${page.contentType}` }
  try {
    return await products.read({
      source: sourceOf(page),
      url: asked.url,
      finalUrl: page.finalUrl,
      now: asked.askedAt,
    })
  } catch (error) {
    // A slow page is its own fault, but a long queue is not the page's fault.
    if (error instanceof TooManyTasks) throw new Busy('Too many product pages wait to be read', 5)
    if (error instanceof TaskTooLong || error instanceof TaskBroke)
      return { refusal: 'page_too_large', message: `The page of ${hostname} takes too much to be read` }
    throw error
  }
}

function seenIn(asked: ProductAsked, page: Page, read: Extracted | NoPage): LookedProduct {
  const isRendered = page.rendered !== undefined
  if ('refusal' in read) return without(asked, { ...read, ...(isRendered && { rendered: true }) })
  const { finalUrl, fetchedAt } = page
  const about = { url: asked.url, finalUrl, rendered: isRendered, fetchedAt }
  const { canonical } = read
  if (!read.product) {
    const { nothing, message } = read
    return { ...about, canonical, product: undefined, nothing: { refusal: nothing, message } }
  }
  const { facts, by, warnings } = read.product
  return { ...about, canonical, product: { facts, by: Object.fromEntries(by), warnings }, nothing: undefined }
}

const without = ({ url, askedAt }: ProductAsked, { refusal, message, rendered }: NoPage): LookedProduct => ({
  url,
  finalUrl: url,
  canonical: undefined,
  rendered: rendered ?? false,
  fetchedAt: askedAt,
  product: undefined,
  nothing: { refusal, message },
})
