/** Any public page: read, pictured, summarised; any PDF read; the web searched. */
import manifest from '../../../package.json' with { type: 'json' }
import { defineOrigin } from '../../offer/origin.ts'
import { pdf } from './pdf.ts'
import { read } from './read.ts'
import { screenshot } from './screenshot.ts'
import { search } from './search/search.ts'
import { searchRead } from './search/search-read.ts'
import { mapSite } from './site/map.ts'
import { summarize } from './summary/summarize.ts'
import { webBrief } from './summary/web-brief.ts'

export const web = defineOrigin({
  name: 'web',
  title: 'The public web: pages read, pictured and summarised, PDFs, search',
  version: manifest.version,
  address: 'WEB_URL',
  operations: [read, screenshot, summarize, search, searchRead, webBrief, pdf, mapSite],
  free: [],
  pages: [],
})
