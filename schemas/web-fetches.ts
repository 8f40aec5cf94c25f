/** The results of fetches of public pages. They do not name the pages, because the callers' questions are private. */
import { z } from 'zod'
import { defineDataset, field } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const fields = {
  id: field(z.string().min(1), 'String', 'This fetch and no other'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it ended'),
  rendered: field(z.boolean(), 'Bool', 'Whether a browser showed the page'),
  outcome: field(
    z.string().min(1),
    'LowCardinality(String)',
    'page, or the code of the refusal; busy, no_browser, failed: we could not render it',
  ),
  status: field(z.int().nullable(), 'Nullable(UInt16)', 'The HTTP status of the page'),
  took_ms: field(z.int().min(0), 'UInt32', 'How long it took, with its wait for a turn'),
  bytes: field(z.int().min(0), 'UInt32', 'The size of the document, unpacked'),
  content_type: field(
    z.string(),
    'LowCardinality(String)',
    'The type of the document, empty where there was none',
  ),
}

export const webFetches = defineDataset({
  name: 'web_fetches',
  about:
    'Fetches of public pages, without the pages: how they ended, how long they took, how large they were',
  fields,
  key: ['id'],
  identity: ['id'],
  keep: { ms: 7 * 24 * 60 * 60_000 },
})
