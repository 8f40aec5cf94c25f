/** Pages that the query role asks the render role to show in its browser. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'

const element = z.string().min(1).max(500).nullable()

/** How the page is shown: pipelines/rails/outside/pages/page.ts says what each part means. */
const shot = z.strictObject({
  format: z.enum(['jpeg', 'png', 'webp']),
  width: z.int().positive(),
  height: z.int().positive(),
  scale: z.int().positive(),
  phone: z.boolean(),
  dark: z.boolean(),
  fullPage: z.boolean(),
  selector: element,
  waitFor: element,
  hideBanners: z.boolean(),
})

const fields = {
  id: field(z.string().min(1), 'String', 'This request and no other'),
  url_hash: field(Sha256, 'FixedString(64)', 'SHA-256 of the URL'),
  url: field(z.string().min(1), 'String', 'The URL, as a caller gave it'),
  picture: field(z.boolean(), 'Bool', 'Whether a picture is wanted'),
  most_picture_bytes: field(z.int().positive(), 'UInt32', 'The size that the picture must not exceed'),
  wait_ms: field(z.int().min(0), 'UInt32', 'How long to wait before the picture'),
  shot: field(shot.nullable().default(null), 'Nullable(String)', 'Another look than the usual one'),
  certificates: field(z.boolean(), 'Bool', 'Whether the certificates of the server are wanted'),
  any_status: field(z.boolean(), 'Bool', 'Whether an error of the site is a page too'),
  own: field(z.boolean(), 'Bool', 'Whether nobody else may have a part in it'),
  total_ms: field(z.int().positive(), 'UInt32', 'How long the browser may take'),
  caller: field(
    z.string().default(''),
    'String',
    'Whose turn it takes, under a name that only its seller knows',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
}

export type WebRequest = RowOf<typeof fields>

export const webRequests = defineDataset({
  name: 'web_requests',
  about: 'Pages to render now; they are kept for minutes only, because what callers ask for is private',
  fields,
  key: ['url_hash'],
  identity: ['id'],
  audience: 'log',
  keep: { ms: 10 * 60_000 },
})
