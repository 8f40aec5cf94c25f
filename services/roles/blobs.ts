/** The store of large answers and of rendered pages. It opens once in a process, when the first role needs it. */
import type { Blobs } from '../../pipelines/rails/blobs/blobs.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open.ts'
import { blobsUrlOf } from '../config/config.ts'
import type { Process } from './process.ts'

export function blobsOf({
  config,
  lifecycle,
  now,
  warn,
}: Pick<Process, 'config' | 'lifecycle' | 'now' | 'warn'>): () => Promise<Blobs> {
  let opening: Promise<Blobs> | undefined
  return () => {
    opening ??= lifecycle.open(
      'blobs',
      () => openBlobs(blobsUrlOf(config), { now, onError: error => warn('blobs')('blobs', error) }),
      opened => opened.close(),
    )
    return opening
  }
}
