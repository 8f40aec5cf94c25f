/** The stores of large answers and of rendered pages. Each opens once in a process, when the first role needs it. */
import type { Blobs } from '../../pipelines/rails/blobs/blobs.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open.ts'
import { blobsUrlOf, pagesUrlOf } from '../config/blobs-place.ts'
import type { Process } from './process.ts'

export function blobsOf({
  config,
  lifecycle,
  now,
  warn,
}: Pick<Process, 'config' | 'lifecycle' | 'now' | 'warn'>): Pick<Process, 'blobs' | 'pages'> {
  const once = (part: string, urlOf: typeof blobsUrlOf, onlyPuts = false) => {
    let opening: Promise<Blobs> | undefined
    return () => {
      opening ??= lifecycle.open(
        part,
        () => openBlobs(urlOf(config), { now, onlyPuts, onError: error => warn(part)(part, error) }),
        opened => opened.close(),
      )
      return opening
    }
  }
  return {
    blobs: once('blobs', blobsUrlOf),
    pages: once('rendered pages', pagesUrlOf, !config.ROLES.includes('query')),
  }
}
