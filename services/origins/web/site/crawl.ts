/** The pages of a site as Markdown, for one price. */
import { z } from 'zod'
import { mainTextRefusals } from '../../../offer/main-text.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { pageQuestion, pageRefusals } from '../../../offer/pages.ts'
import { hookRefusals, secretAsked, webhookAsked } from '../../watch/hook.ts'
import { type CrawlSize, ordered } from './crawl-order.ts'
import { underAsked } from './map.ts'

const text = z.string()

interface CrawlOffer extends CrawlSize {
  id: string
  path: `/${string}`
  price: string
  title: string
}

const crawlOf = ({ id, path, price, title, most, least, cheaper }: CrawlOffer) =>
  defineOperation({
    id,
    path,
    inBrief: `Reads up to ${most} pages of a site as Markdown. You get an id: progress and result are free.`,
    price,
    costs: 'costly',
    sold: 'Sold once the first page is read; for each that fails another is tried, and the result names them.',
    holdsSecret: true,
    title,
    about: `Reads up to ${most} pages of a site as Markdown, from its sitemaps and links, politely: by robots.txt, one page at a time. The first page is read before you pay, and a site that shows fewer than ${least} pages is refused free. The crawl survives restarts. /crawl/status tells its progress and the signed link to the result, free; a webhook can tell the end.`,
    tags: ['web', 'crawl', 'markdown', 'webhook'],
    request: z.strictObject({
      url: pageQuestion.url.describe('Where the crawl begins, such as the home page'),
      under: underAsked,
      accept_fewer: z
        .boolean()
        .default(false)
        .describe(`Crawl though fewer than ${least} pages are known: others may be found on the way`),
      webhookUrl: webhookAsked.optional(),
      webhookSecret: secretAsked,
    }),
    response: z.strictObject({
      crawl_id: text.describe('Keep it: whoever has it may ask for the crawl'),
      url: text.describe('Where it begins, after redirects'),
      pages_asked: z.int().describe('At most as many pages are read'),
      pages_known: z.int().describe('The pages that sitemaps and the first page name'),
      first_page: z
        .strictObject({ title: text, characters: z.int() })
        .describe('It was read before you paid'),
      status_url: text.describe('Free: the progress, and the link to the result'),
      result_lasts_days: z.int(),
      secret: text.nullable().describe('Signs the event (v1). It is told once; null: no webhook was given'),
      public_key: text.nullable().describe('Signs the event (v1a)'),
    }),
    refusals: {
      ...pageRefusals,
      ...mainTextRefusals,
      ...hookRefusals,
      fewer_pages: { status: 422, about: `Fewer than ${least} pages are known: ${cheaper} is cheaper` },
    },
    example: {
      request: { url: 'http://isles.sample/' },
      response: {
        crawl_id: 'crawl_5f3a0c8e1b7d4f62a9c4e0d8b1a27f36',
        url: 'http://isles.sample/',
        pages_asked: most,
        pages_known: 121,
        first_page: { title: 'The isles - Isles Sample', characters: 657 },
        status_url: 'http://127.0.0.1:8402/crawl/status?crawl_id=crawl_5f3a0c8e1b7d4f62a9c4e0d8b1a27f36',
        result_lasts_days: 7,
        secret: null,
        public_key: null,
      },
    },
    answer: (question, tools, refuse) => ordered(question, { most, least, cheaper }, tools, refuse),
  })

export const crawlSite = crawlOf({
  id: 'crawlSite',
  path: '/crawl',
  price: '0.10',
  title: 'Up to 100 pages of a site as Markdown',
  most: 100,
  least: 21,
  cheaper: '/crawl/small, up to 20 pages for $0.03,',
})

export const crawlSmall = crawlOf({
  id: 'crawlSmallSite',
  path: '/crawl/small',
  price: '0.03',
  title: 'Up to 20 pages of a site as Markdown',
  most: 20,
  least: 2,
  cheaper: '/read, $0.002 for a page,',
})
