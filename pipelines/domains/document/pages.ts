/** Public pages, with readers for documents. */
import { openPages, type Pages } from '../../rails/outside/pages/open-pages.ts'
import type { Part } from '../../rails/process.ts'
import { reading } from './reader.ts'

export const pages: Part<Pages> = {
  name: 'pages',
  open: async ({ log, pages, visits, now, use, onFailed }) =>
    openPages({
      ...{ log, visits, now },
      blobs: await pages(),
      reading: await use(reading),
      onFailed: error => onFailed('pages', error),
    }),
}
