/** Which product does a page show, at what price, and is it in stock? */
import { z } from 'zod'
import { whyDifferent } from '../../../../pipelines/domains/product/redirects.ts'
import { type LookedProduct, productLookup } from '../../../../pipelines/lookups/product.ts'
import { readPublicUrl } from '../../../../pipelines/rails/outside/fetching/address.ts'
import { NotPublic } from '../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { pageQuestion, pageRefusals } from '../../../offer/pages.ts'
import { productExample, productUrl } from './example.ts'
import { productAnswer, productShape } from './product-answer.ts'

export const extractProduct = defineOperation({
  id: 'extractProduct',
  path: '/extract',
  tool: 'get_product_details',
  price: '0.01',
  inBrief:
    'The product on a page: name, price, stock, brand, SKU, GTIN, images, variants, each with its source.',
  costs: 'looked up',
  sold: 'Sold if the page shows a product; a field that it does not state is null.',
  title: 'The product of a page, as schema.org JSON',
  about:
    'Reads a product page to the field: name, price, currency, stock, brand, SKU, GTIN, images, variants. What the shop declares (JSON-LD, microdata) comes first, what the page shows fills the rest, and `provenance` says which is which. A redirect to another page is refused free.',
  tags: ['product', 'price', 'extract', 'e-commerce'],
  request: z.strictObject({
    url: pageQuestion.url,
    allow_redirect: z.boolean().default(false).describe('Read it though a redirect ends at another page'),
    max_age_seconds: pageQuestion.max_age_seconds.default(900),
  }),
  response: z.strictObject(productShape),
  refusals: {
    ...pageRefusals,
    redirected: { status: 422, about: 'The URL redirects to a page that looks different' },
    not_a_product: { status: 422, about: 'The page shows no product' },
    several_products: { status: 422, about: 'The page is a list of products, and none is its own' },
  },
  example: { request: { url: productUrl }, response: productExample },
  async answer({ url: typed, allow_redirect, max_age_seconds }, { find, now }, refuse) {
    const url = urlOf(typed, message => refuse('invalid_url', message))
    const askedAt = now()
    const seen = await find(productLookup, { url, askedAt, maxAgeMs: max_age_seconds * 1000 })
    if (!seen) throw new Error('the lookup of products answers every question')
    const { finalUrl, canonical, nothing, product } = seen
    const other = allow_redirect || wasNotFetched(seen) ? undefined : whyDifferent(url, finalUrl, canonical)
    if (other)
      refuse(
        'redirected',
        `The URL redirects to ${finalUrl}: ${other}. Send allow_redirect to read it all the same`,
      )
    if (!product)
      return refuse(nothing?.refusal ?? 'not_a_product', nothing?.message ?? 'The page shows no product')
    return productAnswer({ ...seen, ...product, url: typed, askedAt })
  },
})

/** If the page was not fetched, there is no redirect to judge. */
const wasNotFetched = ({ nothing }: LookedProduct): boolean =>
  nothing !== undefined && nothing.refusal in pageRefusals

/** Brings a URL into one form, so that its spellings are one question. */
function urlOf(text: string, refuse: (message: string) => never): string {
  try {
    return readPublicUrl(text).href
  } catch (error) {
    if (error instanceof NotPublic) return refuse(error.message)
    throw error
  }
}
