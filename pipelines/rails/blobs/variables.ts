/** The variables that say where large answers and rendered pages are kept. */
import { z } from 'zod'
import { text } from '../environment/kinds.ts'
import { readS3Address } from './s3-address.ts'

const place = z
  .string()
  .refine(
    given => /^file:.+/.test(given) || readS3Address(given) !== undefined,
    'file:<folder> or s3://key:secret@host:port/bucket?region=<region>&tls=false, with the secret percent-encoded',
  )
  .optional()

export const blobsVariables = {
  BLOBS_URL: place.describe(
    '`file:<folder>` or `s3://host/bucket`; `file:<DATA_DIR>/blobs` if unset; required with `kafka:` for query: [Large answers](#large-answers)',
  ),
  PAGES_URL: place.describe(
    'the same for rendered pages, which render writes and query reads; `pages` below `BLOBS_URL` if unset; required with `kafka:` for render',
  ),
  AWS_ACCESS_KEY_ID: text('the id of a key to a bucket')
    .optional()
    .describe('the key to the buckets, together with the next one, where their addresses have none'),
  AWS_SECRET_ACCESS_KEY: text('the secret of a key to a bucket')
    .optional()
    .describe('together with the one above'),
  AWS_REGION: text('the region of a bucket')
    .optional()
    .describe('the region of the buckets, where their addresses have none; `us-east-1` if unset'),
}
