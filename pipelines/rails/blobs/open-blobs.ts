/** Opens the store of blobs that a URL names. */
import type { Blobs, BlobsOptions } from './blobs.ts'
import type { BucketOptions } from './bucket.ts'
import { openFolder } from './folder.ts'
import { keptIn } from './kept.ts'
import { readS3Address } from './s3-address.ts'

export async function openBlobs(url: string, options: BlobsOptions & BucketOptions = {}): Promise<Blobs> {
  if (url.startsWith('file:')) return keptIn(await openFolder(url.slice('file:'.length)), options)
  const address = readS3Address(url)
  // The text may hold a secret, so it is not repeated.
  if (!address) throw new Error('blobs are kept in file:<folder> or s3://key:secret@host:port/bucket')
  // The client is loaded only where a bucket is used.
  const { openBucket } = await import('./bucket.ts')
  return keptIn(await openBucket(address, options), options)
}
