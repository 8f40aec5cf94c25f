/** What does a public page look like? */
import { z } from 'zod'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { defineOperation } from '../../offer/operation.ts'
import { pageAnswer, pageAnswered, pageOf, pageQuestion, pageRefusals } from '../../offer/pages.ts'

const width = 1280
const height = 800
/** The answer must fit a record of the log, and base64 adds a third. */
const mostPictureBytes = 640_000

export const screenshot = defineOperation({
  id: 'screenshotPage',
  path: '/screenshot',
  price: '0.003',
  costs: 'costly',
  trial: true,
  title: 'A picture of a web page',
  about:
    'A 1280x800 JPEG of any public page, as a real browser shows it once it has come to rest, with the SHA-256 of its bytes. Scripts run; a page may ask to be waited for. A page that cannot be shown is free.',
  tags: ['web', 'screenshot', 'picture', 'browser'],
  request: z.strictObject({
    ...pageQuestion,
    wait_ms: z.int().min(0).max(5000).default(0).describe('How long to wait once the page has come to rest'),
  }),
  response: z.strictObject({
    ...pageAnswer,
    title: z.string(),
    width: z.literal(width),
    height: z.literal(height),
    content_type: z.literal('image/jpeg'),
    image_base64: z.string(),
    sha256: z.string().describe('Of the bytes of the JPEG'),
    bytes: z.int(),
  }),
  refusals: pageRefusals,
  example: {
    request: { url: 'http://tides.sample/' },
    response: {
      url: 'http://tides.sample/',
      final_url: 'http://tides.sample/',
      status: 200,
      fetched_at: '2026-11-22T11:00:00.000Z',
      cached: false,
      cache_age_seconds: 0,
      title: 'Tide board: Sample Harbour',
      width,
      height,
      content_type: 'image/jpeg',
      image_base64: '/9j/4AAQSkZJRgABAQAAAQABAAD/',
      sha256: sha256(Buffer.from('/9j/4AAQSkZJRgABAQAAAQABAAD/', 'base64')),
      bytes: 21,
    },
  },
  async answer({ url, max_age_seconds, wait_ms }, tools, refuse) {
    const asked = { url, render: 'always', picture: true, mostPictureBytes, waitMs: wait_ms } as const
    const page = await pageOf({ ...asked, maxAgeMs: max_age_seconds * 1000 }, tools, refuse)
    const { picture, title } = page.rendered ?? {}
    if (!picture) throw new Error('a rendered page lacks the picture that was asked for')
    return {
      ...pageAnswered(page),
      title: title ?? '',
      width,
      height,
      content_type: 'image/jpeg',
      image_base64: picture.toString('base64'),
      sha256: sha256(picture),
      bytes: picture.length,
    }
  },
})
