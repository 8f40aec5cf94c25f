/** What does a public page look like? */
import { z } from 'zod'
import type { Shot } from '../../../pipelines/rails/outside/pages/page.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { defineOperation } from '../../offer/operation.ts'
import {
  pageAnswer,
  pageAnswered,
  pageExample,
  pageOf,
  pageQuestion,
  pageRefusals,
} from '../../offer/pages.ts'

const usual = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }
/** Base64 adds a third. The usual picture fits a record of the log; a larger one goes to the blobs. */
const mostBytes = { usual: 640_000, other: 2_000_000 }

const element = z.string().min(1).max(500).optional()
const isAsked = z.boolean().default(false)

export const screenshot = defineOperation({
  id: 'screenshotPage',
  path: '/screenshot',
  price: '0.003',
  inBrief: 'A picture of a public web page: window, full page or one element; desktop or phone.',
  costs: 'costly',
  sold: 'whole',
  trial: true,
  picture: { data: 'image_base64', type: 'content_type' },
  title: 'A picture of a web page',
  about:
    'A picture of any public page, as a real browser shows it once it has come to rest: the window (1280x800), the full page or one element, on a desktop or a phone, light or dark, as JPEG, PNG or WebP, at up to three pixels a point, with the SHA-256 of its bytes. It can wait for an element and hide cookie banners. A page that cannot be shown is free.',
  tags: ['web', 'screenshot', 'picture', 'browser'],
  request: z.strictObject({
    ...pageQuestion,
    wait_ms: z.int().min(0).max(5000).default(0).describe('How long to wait once the page has come to rest'),
    wait_for: element.describe('A CSS selector: wait up to 8 s until such an element is shown'),
    selector: element.describe('A CSS selector: picture the first such element alone'),
    full_page: isAsked.describe('Picture the whole page, to 16 million pixels'),
    device: z
      .enum(['desktop', 'phone'])
      .default('desktop')
      .describe('phone: 390x844, touch, a mobile browser'),
    width: z.int().min(320).max(1920).optional().describe('Of the window, in CSS pixels'),
    height: z.int().min(320).max(1200).optional().describe('Of the window, in CSS pixels'),
    scale: z.int().min(1).max(3).default(1).describe('Pixels of the picture for each CSS pixel'),
    dark: isAsked.describe('The page is told that its reader prefers dark colours'),
    format: z.enum(['jpeg', 'png', 'webp']).default('jpeg'),
    hide_banners: isAsked.describe('Hide banners that ask for consent to cookies; none of them is answered'),
  }),
  response: z.strictObject({
    ...pageAnswer,
    title: z.string(),
    width: z.int().describe('In pixels of the picture'),
    height: z.int().describe('In pixels of the picture'),
    content_type: z.enum(['image/jpeg', 'image/png', 'image/webp']),
    image_base64: z.string(),
    sha256: z.string().describe('Of the bytes of the picture'),
    bytes: z.int(),
    truncated: z.boolean().describe('The page or the element is larger than a picture may be'),
    banners_hidden: z.int(),
  }),
  refusals: {
    ...pageRefusals,
    no_such_element: { status: 422, about: 'The page shows no such element' },
    invalid_selector: { status: 400, about: 'It is no CSS selector, or comes together with full_page' },
    picture_too_large: { status: 422, about: 'The picture has more than 2 MB, whatever its quality' },
  },
  example: {
    request: { url: 'http://tides.sample/' },
    response: {
      ...pageExample('http://tides.sample/', '2026-11-22T11:00:00.000Z'),
      title: 'Tide board: Sample Harbour',
      ...usual,
      content_type: 'image/jpeg',
      image_base64: '/9j/4AAQSkZJRgABAQAAAQABAAD/',
      sha256: sha256(Buffer.from('/9j/4AAQSkZJRgABAQAAAQABAAD/', 'base64')),
      bytes: 21,
      truncated: false,
      banners_hidden: 0,
    },
  },
  async answer({ url, max_age_seconds, wait_ms, ...look }, tools, refuse) {
    if (look.full_page && look.selector !== undefined)
      refuse('invalid_selector', 'Picture the full page, or one element: not both')
    const shot = shotOf(look)
    const mostPictureBytes = shot ? mostBytes.other : mostBytes.usual
    const asked = { url, render: 'always', picture: true, mostPictureBytes, waitMs: wait_ms } as const
    const maxAgeMs = max_age_seconds * 1000
    const page = await pageOf({ ...asked, maxAgeMs, ...(shot && { shot }) }, tools, refuse)
    const { picture, title = '', pictured } = page.rendered ?? {}
    if (pictured?.problem) refuse(pictured.problem, whyNot[pictured.problem])
    if (!picture) throw new Error('a rendered page lacks the picture that was asked for')
    return {
      ...pageAnswered(page),
      title,
      width: pictured?.width ?? usual.width,
      height: pictured?.height ?? usual.height,
      content_type: `image/${look.format}` as const,
      image_base64: picture.toString('base64'),
      sha256: sha256(picture),
      bytes: picture.length,
      truncated: pictured?.isCut ?? false,
      banners_hidden: pictured?.bannersHidden ?? 0,
    }
  },
})

const whyNot = {
  no_such_element: 'The page shows no element that the selector names',
  invalid_selector: 'This is no CSS selector',
  picture_too_large: 'The picture has more than 2 MB: ask for WebP, a smaller scale, or an element',
}

interface LookAsked {
  wait_for?: string | undefined
  selector?: string | undefined
  full_page: boolean
  device: 'desktop' | 'phone'
  width?: number | undefined
  height?: number | undefined
  scale: number
  dark: boolean
  format: Shot['format']
  hide_banners: boolean
}

/** Undefined for the usual look, whose pictures are shared with all who ask for it. */
function shotOf({
  wait_for,
  selector,
  full_page,
  device,
  scale,
  dark,
  format,
  hide_banners,
  ...size
}: LookAsked) {
  const { width, height } = device === 'phone' ? phone : usual
  const shot: Shot = {
    ...{
      format,
      width: size.width ?? width,
      height: size.height ?? height,
      scale,
      phone: device === 'phone',
      dark,
    },
    ...{
      fullPage: full_page,
      selector: selector ?? null,
      waitFor: wait_for ?? null,
      hideBanners: hide_banners,
    },
  }
  const isUsual =
    JSON.stringify(shot) ===
    JSON.stringify({
      ...{ format: 'jpeg', ...usual, scale: 1, phone: false, dark: false },
      ...{ fullPage: false, selector: null, waitFor: null, hideBanners: false },
    })
  return isUsual ? undefined : shot
}
