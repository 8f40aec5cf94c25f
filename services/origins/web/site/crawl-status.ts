/** Free: how far has a crawl come, and where is its result? */
import { z } from 'zod'
import { crawlNow } from '../../../../schemas/site-crawls.ts'
import { defineFree } from '../../../offer/operation.ts'
import { crawlsOf } from './crawls.ts'
import { resultOf } from './result-link.ts'

const text = z.string()
const count = z.int()

export const crawlStatus = defineFree({
  id: 'crawlStatus',
  path: '/crawl/status',
  method: 'GET',
  perMinute: 60,
  title: 'How far a crawl has come',
  about:
    'The state of a crawl by the id that its purchase told: pages read, pages that failed, and, once it is done, the signed link to the result and its SHA-256. It begins when its payment has settled.',
  tags: ['web', 'crawl'],
  request: z.strictObject({ crawl_id: text.max(100) }),
  response: z.strictObject({
    crawl_id: text,
    url: text,
    state: z.enum(['waiting', 'running', 'done']).describe('waiting: others are crawled first'),
    pages_asked: count.describe('How many pages were paid for'),
    pages_read: count.describe('Pages in the result'),
    pages_failed: count.describe('Pages that could not be read; the result names each'),
    duplicates: count.describe('Pages that say what another one says'),
    pages_known: count.describe('Addresses of pages that it has met'),
    ordered_at: text,
    ended_at: text.nullable(),
    ended_because: text
      .nullable()
      .describe(
        'all_read, no_more_pages, site_fails (20 pages in a row), too_much_text (16 MB) or too_long (6 h)',
      ),
    result: z
      .strictObject({ url: text, expires_at: text, sha256: text, bytes: count })
      .nullable()
      .describe('A line of JSON for each page'),
  }),
  refusals: {
    unknown_crawl: {
      status: 422,
      about: 'No crawl of the last week has this id, or its payment has not settled yet',
    },
  },
  example: {
    request: { crawl_id: 'crawl_5f3a0c8e1b7d4f62a9c4e0d8b1a27f36' },
    response: {
      crawl_id: 'crawl_5f3a0c8e1b7d4f62a9c4e0d8b1a27f36',
      url: 'http://isles.sample/',
      state: 'running',
      pages_asked: 100,
      pages_read: 41,
      pages_failed: 0,
      duplicates: 0,
      pages_known: 121,
      ordered_at: '2026-11-22T12:00:00.000Z',
      ended_at: null,
      ended_because: null,
      result: null,
    },
  },
  answer({ crawl_id }, tools, refuse) {
    const { desk, origin } = crawlsOf(tools)
    const row = tools.view(crawlNow, undefined).get(crawl_id)
    if (!row)
      return refuse(
        'unknown_crawl',
        'No crawl of the last week has this id, or its payment has not settled yet',
      )
    const { url, state, most, pages_read, pages_failed, duplicates, pages_known } = row
    const { ordered_at, ended_at, ended_because } = row
    return {
      ...{ crawl_id, url, state, pages_asked: most, pages_read, pages_failed, duplicates, pages_known },
      ...{ ordered_at, ended_at, ended_because },
      result: resultOf(row, origin, desk.seal),
    }
  },
})
