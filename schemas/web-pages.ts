/** Pages that the render role has shown in its browser, each by the name of its blob. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'

export const pagesLastMs = 60 * 60_000

const fields = {
  id: field(z.string().min(1), 'String', 'The request that it answers'),
  url_hash: field(Sha256, 'FixedString(64)', 'SHA-256 of the URL'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it was rendered'),
  outcome: field(
    z.enum(['page', 'refused', 'busy', 'no_browser', 'failed']),
    'String',
    'page: it is in the blob; refused: the site or the page leaves no page; busy: too many wait; no_browser: none can be had; failed: the browser ended under it',
  ),
  blob: field(z.string().nullable(), 'Nullable(String)', 'The blob with the page'),
  refusal: field(z.string().nullable(), 'Nullable(String)', 'The code of the refusal'),
  message: field(z.string().nullable(), 'Nullable(String)', 'Why there is no page'),
  content_type: field(z.string().nullable(), 'Nullable(String)', 'What is there in place of a page'),
  picture: field(z.boolean(), 'Bool', 'Whether it has a picture'),
  shot: field(z.string().default(''), 'String', 'The name of its look; empty for the usual one'),
  retry_after: field(
    z.int().min(0).nullable().default(null),
    'Nullable(UInt32)',
    'Of a busy renderer: in how many seconds it may have a place',
  ),
  wait_ms: field(z.int().min(0), 'UInt32', 'How long the browser waited before the picture'),
  certificates: field(z.boolean(), 'Bool', 'Whether it has the certificates of its server'),
  status: field(z.int().nullable(), 'Nullable(UInt16)', 'The HTTP status of the page'),
}

export type WebPage = RowOf<typeof fields>

export const webPages = defineDataset({
  name: 'web_pages',
  about: 'Rendered pages of the last hour; the pages themselves are blobs',
  fields,
  key: ['url_hash'],
  identity: ['id'],
  audience: 'log',
  keep: { ms: pagesLastMs },
})
