/** Products that pages showed in the last hour, each under the hash of its URL. The caller's URL is private. */
import { z } from 'zod'
import { defineDataset, field } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'

export const productsLastMs = 60 * 60_000

const fields = {
  url_hash: field(Sha256, 'FixedString(64)', 'SHA-256 of the URL'),
  fetched_at: field(Instant, "DateTime64(3, 'UTC')", 'When the page was fetched'),
  seen: field(
    z.string().min(1).nullable(),
    'Nullable(String)',
    'What was read there, as JSON; null: no product, and the next question asks again',
  ),
}

export const productsSeen = defineDataset({
  name: 'products_seen',
  about: 'Products that pages showed in the last hour, each under the hash of its URL',
  fields,
  key: ['url_hash'],
  identity: ['url_hash'],
  audience: 'log',
  keep: { ms: productsLastMs },
})
