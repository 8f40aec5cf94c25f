/** Up to five product pages in one payment, each read or refused by itself. */
import { z } from 'zod'
import { answersTo, type BatchOutcome } from '../../../offer/batch.ts'
import { type ErrorCode, errors, Refused } from '../../../offer/errors.ts'
import { defineOperation, type Operation } from '../../../offer/operation.ts'
import { pageQuestion } from '../../../offer/pages.ts'
import { comparisonOf, comparisonShape } from './comparison.ts'
import { productExample, productUrl } from './example.ts'
import { extractProduct } from './extract.ts'
import type { ProductAnswer } from './product-answer.ts'

const mostUrls = 5
/** The answer must be ready before the payment's authorization ends. A page that comes later fails alone. */
const limits = { atOnce: mostUrls, withinMs: 25_000 }

export const extractBatch = defineOperation({
  id: 'extractProducts',
  path: '/extract/batch',
  tool: 'compare_products',
  price: '0.04',
  inBrief: 'Up to five product pages side by side, with the cheapest of each currency.',
  costs: 'looked up',
  sold: 'Sold in full as soon as one page is read; free if every page fails.',
  title: 'Up to five product pages, and how they compare',
  about:
    'Reads up to five product pages at once, each as /extract does, and sets name, price, currency, stock and brand side by side, with the cheapest of each currency. Flat price.',
  tags: ['product', 'price', 'compare', 'batch'],
  request: z.strictObject({
    urls: z
      .array(pageQuestion.url)
      .min(1, 'at least one URL')
      .max(mostUrls, `at most ${mostUrls} URLs`)
      .refine(urls => new Set(urls.map(inOneForm)).size === urls.length, 'two of the URLs are one page')
      .describe('All different'),
    allow_redirect: extractProduct.request.shape.allow_redirect,
  }),
  response: z.strictObject({
    results: z
      .array(
        z.union([
          z.strictObject({ url: z.string(), ok: z.literal(true), product: extractProduct.response }),
          z.strictObject({ url: z.string(), ok: z.literal(false), error: z.string(), message: z.string() }),
        ]),
      )
      .describe('In the order asked'),
    succeeded: z.int(),
    failed: z.int(),
    comparison: comparisonShape,
  }),
  refusals: {
    all_failed: {
      status: 422,
      about: 'No page could be read; the message has each reason. 502 where every site or connection failed',
    },
  },
  example: {
    request: { urls: [productUrl] },
    response: {
      results: [{ url: productUrl, ok: true, product: productExample }],
      succeeded: 1,
      failed: 0,
      comparison: {
        table: [
          {
            url: productUrl,
            name: productExample.name,
            price: 129,
            currency: 'EUR',
            availability: 'https://schema.org/InStock',
            brand: 'Northmast',
          },
        ],
        cheapest: [{ currency: 'EUR', price: 129, url: productUrl }],
      },
    },
  },
  async answer({ urls, allow_redirect }, tools) {
    const questions = urls.map(url => extractProduct.request.parse({ url, allow_redirect }))
    const outcomes = await answersTo(questions, extractProduct as unknown as Operation, tools, limits)
    const products = outcomes.flatMap(({ answer, error }) =>
      error === undefined ? (answer as ProductAnswer) : [],
    )
    if (products.length === 0) throw allFailed(urls, outcomes)
    return {
      results: outcomes.map((outcome, i) => resultOf(urls[i] as string, outcome)),
      succeeded: products.length,
      failed: outcomes.length - products.length,
      comparison: comparisonOf(products),
    }
  },
})

function inOneForm(url: string): string {
  if (!URL.canParse(url)) return url
  const parsed = new URL(url)
  parsed.hash = ''
  return parsed.href
}

const resultOf = (url: string, outcome: BatchOutcome) =>
  outcome.error === undefined
    ? { url, ok: true as const, product: outcome.answer as ProductAnswer }
    : { url, ok: false as const, error: outcome.error, message: outcome.message }

/** The batch answers 502 only if every page failed with an error of 500 or above. */
function allFailed(urls: readonly string[], outcomes: readonly BatchOutcome[]): Refused {
  const failed = outcomes.flatMap(outcome => (outcome.error === undefined ? [] : outcome))
  const isWorlds = failed.every(({ error }) => statusOf(error) >= 500)
  const reasons = failed.map(({ error, message }, i) => `${urls[i]}: ${error} (${message})`)
  return new Refused('all_failed', isWorlds ? 502 : 422, `No page could be read. ${reasons.join('; ')}`)
}

const statusOf = (code: string): number =>
  (extractProduct.refusals as Record<string, { status: number }>)[code]?.status ??
  errors[code as ErrorCode]?.[0] ??
  422
