/** Free: an extraction as /extract gives it. The real extractor makes it from a bundled page. */
import { z } from 'zod'
import { extract } from '../../../../pipelines/domains/product/extract.ts'
import { defineFree } from '../../../offer/operation.ts'
import { previewPage, previewUrl } from './preview-page.ts'
import { productAnswer, productShape } from './product-answer.ts'

/** When the bundled page was made. */
const madeAt = Date.parse('2026-11-22T00:00:00.000Z')

function made() {
  const { product } = extract({ html: previewPage, url: previewUrl, finalUrl: previewUrl, now: madeAt })
  if (!product) throw new Error('the bundled page shows no product')
  const { facts, by, warnings } = product
  const page = { url: previewUrl, finalUrl: previewUrl, rendered: false, fetchedAt: madeAt, askedAt: madeAt }
  return {
    ...productAnswer({ ...page, facts, by: Object.fromEntries(by), warnings }),
    preview: true as const,
  }
}

/** Made at the first question: its patterns take a tenth of a start to compile. */
let answer: ReturnType<typeof made> | undefined
const madeOnce = () => {
  answer ??= made()
  return answer
}

export const preview = defineFree({
  id: 'previewProduct',
  path: '/preview',
  method: 'GET',
  perMinute: 60,
  title: 'What an extraction looks like',
  about:
    'An answer in the shape of /extract, read by the same extractor from a bundled page of ours. Free: nothing is fetched.',
  tags: ['product', 'sample'],
  request: z.strictObject({}),
  response: z.strictObject({ ...productShape, preview: z.literal(true) }),
  refusals: {},
  example: {
    request: {},
    get response() {
      return JSON.parse(JSON.stringify(madeOnce()))
    },
  },
  answer: madeOnce,
})
