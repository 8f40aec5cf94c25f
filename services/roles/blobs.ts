/** The stores of large answers and rendered pages. Each opens once in a process, for the first role that needs it. */
import type { Blobs } from '../../pipelines/rails/blobs/blobs.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { blobsUrlOf, pagesUrlOf } from '../config/blobs-place.ts'
import type { RoleProcess } from './process.ts'

export function blobsOf({
  config,
  lifecycle,
  now,
  warn,
}: Pick<RoleProcess, 'config' | 'lifecycle' | 'now' | 'warn'>): Pick<RoleProcess, 'blobs' | 'pages'> {
  const once = (part: string, urlOf: typeof blobsUrlOf, onlyPuts = false) => {
    let opening: Promise<Blobs> | undefined
    return () => {
      opening ??= lifecycle.use(part, () =>
        openBlobs(urlOf(config), { now, onlyPuts, onError: error => warn(part)(part, error) }),
      )
      return opening
    }
  }
  return {
    blobs: once('blobs', blobsUrlOf),
    pages: once('rendered pages', pagesUrlOf, !config.ROLES.includes('query')),
  }
}
