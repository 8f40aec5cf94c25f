/** Which pages does a site have? */
import { z } from 'zod'
import { siteOf } from '../../../../pipelines/domains/document/site/addresses.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { pageQuestion, pageRefusals } from '../../../offer/pages.ts'
import { survey } from './survey.ts'

const mostUrls = 5_000

/** The paths that a map or a crawl is about. */
export const underAsked = z
  .string()
  .max(500)
  .regex(/^\/[^?#\s]*$/, 'a path, which begins with /')
  .default('/')
  .describe('Only pages whose path begins with this, such as /docs/')

export const mapSite = defineOperation({
  id: 'mapSite',
  path: '/map',
  price: '0.002',
  inBrief: 'The addresses of the pages of a site, from its sitemaps and links.',
  costs: 'costly',
  ofModels: { limit: 100 },
  sold: 'Sold if the site has a further page, and at least half of its sitemaps are read.',
  title: 'The pages of a site',
  about:
    'The addresses of the pages of a site, each once: those that its sitemaps name (indexes, packed ones, and those of robots.txt), and those that the given page links to. Of this host alone, with or without www, without campaign marks and files. Pages that robots.txt keeps from programs are counted and left out.',
  tags: ['web', 'map', 'sitemap', 'links'],
  request: z.strictObject({
    url: pageQuestion.url.describe('Any page of the site, such as its home page'),
    under: underAsked,
    limit: z.int().min(1).max(mostUrls).default(1_000).describe('At most as many addresses'),
  }),
  response: z.strictObject({
    url: z.string().describe('The page that was read, after redirects'),
    site: z.string().describe('The host, without www'),
    urls: z.array(
      z.strictObject({
        url: z.string(),
        lastmod: z.string().nullable().describe('As the sitemap says'),
        from: z.enum(['sitemap', 'page']),
      }),
    ),
    count: z.int(),
    truncated: z.boolean().describe('There are more pages, or more sitemaps than ten'),
    disallowed: z.int().describe('Pages that robots.txt keeps from programs'),
    sitemaps: z
      .array(z.strictObject({ url: z.string(), entries: z.int(), error: z.string().nullable() }))
      .describe('Those that were read, and why one could not be'),
  }),
  refusals: {
    ...pageRefusals,
    no_urls: { status: 422, about: 'The site names no page besides this one' },
    sitemaps_unreadable: { status: 422, about: 'More than half of the sitemaps of the site cannot be read' },
  },
  example: {
    request: { url: 'http://isles.sample/', under: '/isles/', limit: 2 },
    response: {
      url: 'http://isles.sample/',
      site: 'isles.sample',
      urls: [
        { url: 'http://isles.sample/isles/1', lastmod: '2026-11-01', from: 'sitemap' },
        { url: 'http://isles.sample/isles/2', lastmod: '2026-11-01', from: 'sitemap' },
      ],
      count: 2,
      truncated: true,
      disallowed: 0,
      sitemaps: [
        { url: 'http://isles.sample/sitemap.xml', entries: 2, error: null },
        { url: 'http://isles.sample/sitemap-1.xml.gz', entries: 60, error: null },
        { url: 'http://isles.sample/sitemap-2.xml.gz', entries: 60, error: null },
      ],
    },
  },
  async answer({ url, under, limit }, tools, refuse) {
    const { page, known, sitemaps, disallowed, isCut } = await survey(
      { url, under, most: limit },
      tools,
      refuse,
    )
    const [unread, all] = unreadOf(sitemaps)
    if (2 * unread.length > all)
      refuse(
        'sitemaps_unreadable',
        `${unread.length} of ${all} sitemaps cannot be read: ${unread.join(', ')}`,
      )
    const others = known.filter(each => each.url !== page.finalUrl)
    if (!others.length)
      refuse('no_urls', `${new URL(page.finalUrl).hostname} names no page under ${under} besides this one`)
    return {
      url: page.finalUrl,
      site: siteOf(page.finalUrl),
      urls: known,
      count: known.length,
      truncated: isCut,
      disallowed,
      sitemaps,
    }
  },
})

/** Why sitemaps could not be read, of how many. Those that the site names and does not have are left out: nobody could read them. */
function unreadOf(sitemaps: readonly { error: string | null }[]): [unread: string[], all: number] {
  const there = sitemaps.filter(({ error }) => error !== 'page_refused' && error !== 'invalid_url')
  return [there.flatMap(({ error }) => error ?? []), there.length]
}
