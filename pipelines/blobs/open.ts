/** Which store of blobs a URL means. */
import type { Blobs, BlobsOptions } from './blobs.ts'
import type { BucketOptions } from './bucket.ts'
import { openFolder } from './folder.ts'
import { keptIn } from './kept.ts'

export async function openBlobs(url: string, options: BlobsOptions & BucketOptions = {}): Promise<Blobs> {
  if (url.startsWith('file:')) return keptIn(await openFolder(url.slice('file:'.length)), options)
  if (!url.startsWith('s3://')) throw new Error('blobs are kept in file:<folder> or s3://<host>/<bucket>')
  // Only who uses a bucket pays for loading its client.
  const { openBucket } = await import('./bucket.ts')
  return keptIn(await openBucket(url, options), options)
}
