/** Crawls of sites: what was ordered, and how far each has come. What callers ask for is private, so there is no table. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'
import { watchSubscriptions } from './watch-subscriptions.ts'

const text = z.string()
const moment = "DateTime64(3, 'UTC')"
const count = z.int().min(0)

/** The result and its link last so long. */
export const crawlLastsMs = 7 * 86_400_000

const fields = {
  crawl_id: field(z.string().regex(/^crawl_[0-9a-f]{32}$/), 'String', 'The crawl'),
  url: field(text.min(1), 'String', 'Where it begins'),
  under: field(text.min(1), 'String', 'The paths of its pages begin with this'),
  most: field(z.int().positive(), 'UInt32', 'How many pages were paid for'),
  payer: field(text.default(''), 'String', 'Who has paid for it; empty until then'),
  state: field(
    z.enum(['waiting', 'running', 'done']),
    'String',
    'waiting: paid for, and not begun; running; done: the result is in its blob',
  ),
  ordered_at: field(Instant, moment, 'When it was ordered'),
  begun_at: field(Instant.nullable(), `Nullable(${moment})`, 'When its first page was asked for'),
  ended_at: field(Instant.nullable(), `Nullable(${moment})`, 'When it was done'),
  ended_because: field(
    z.enum(['all_read', 'no_more_pages', 'site_fails', 'too_much_text', 'too_long']).nullable(),
    'Nullable(String)',
    'Why it reads no further page',
  ),
  pages_read: field(count, 'UInt32', 'Pages in the result'),
  pages_failed: field(count, 'UInt32', 'Pages that could not be read'),
  duplicates: field(count, 'UInt32', 'Pages that say what another one says'),
  pages_known: field(count, 'UInt32', 'Addresses of pages that it has met'),
  progress_blob: field(
    text.nullable(),
    'Nullable(String)',
    'The blob with what it has read and still has to read',
  ),
  result_blob: field(text.nullable(), 'Nullable(String)', 'The blob with its pages'),
  result_sha256: field(Sha256.nullable(), 'Nullable(String)', 'Of the result'),
  result_bytes: field(count, 'UInt32', 'The size of the result'),
  subscription_id: field(text.nullable(), 'Nullable(String)', 'Whose webhook is told of the end'),
}

export type SiteCrawl = RowOf<typeof fields>

export const crawlNow = latest<SiteCrawl>({
  name: 'crawl_now',
  about: 'Every crawl that was paid for within the last week',
  key: ['crawl_id'],
  held: true,
  required: false,
})

export const siteCrawls = defineDataset({
  name: 'site_crawls',
  about: 'Every crawl that was paid for, and how far it has come',
  fields,
  key: ['crawl_id'],
  identity: ['crawl_id'],
  views: [crawlNow],
  audience: 'log',
})

const orderFields = {
  crawl_id: fields.crawl_id,
  answer_sha256: field(Sha256, 'String', 'The answer whose settlement begins it'),
  crawl: field(siteCrawls.event, 'String', 'The crawl as it begins'),
  subscription: field(
    watchSubscriptions.event.nullable(),
    'Nullable(String)',
    'The webhook that is told of its end',
  ),
}

export type CrawlOrder = RowOf<typeof orderFields>

export const crawlOrders = defineDataset({
  name: 'crawl_orders',
  about: 'Crawls that callers ordered; each waits for its payment',
  fields: orderFields,
  key: ['crawl_id'],
  identity: ['crawl_id'],
  audience: 'log',
  keep: { ms: 7 * 86_400_000 },
})
