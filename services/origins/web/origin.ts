/** Any public page: read, pictured, summarised; whole sites mapped and crawled; any PDF read; the web searched. */
import manifest from '../../../package.json' with { type: 'json' }
import { desk } from '../../../pipelines/domains/watch/desk.ts'
import { watchVariables } from '../../../pipelines/domains/watch/variables.ts'
import { crawlOrders, siteCrawls } from '../../../schemas/site-crawls.ts'
import { defineOrigin } from '../../offer/origin.ts'
import { webDrawings } from './drawings.ts'
import { webWords } from './field-words.ts'
import { pdf } from './pdf.ts'
import { read } from './read.ts'
import { screenshot } from './screenshot.ts'
import { search } from './search/search.ts'
import { searchRead } from './search/search-read.ts'
import { crawlSite, crawlSmall } from './site/crawl.ts'
import { crawlResult } from './site/crawl-result.ts'
import { crawlStatus } from './site/crawl-status.ts'
import { crawling } from './site/crawler.ts'
import { crawls } from './site/crawls.ts'
import { mapSite } from './site/map.ts'
import { summarize } from './summary/summarize.ts'
import { webBrief } from './summary/web-brief.ts'

export const web = defineOrigin({
  name: 'web',
  title: 'The public web: pages read, pictured and summarised, sites mapped and crawled, PDFs, search',
  version: manifest.version,
  address: 'WEB_URL',
  variables: [watchVariables],
  parts: [desk, crawls],
  reads: [siteCrawls],
  writes: [crawlOrders],
  workers: [crawling],
  words: webWords,
  drawings: webDrawings,
  operations: [
    ...[read, screenshot, summarize, search, searchRead, webBrief, pdf],
    ...[mapSite, crawlSite, crawlSmall],
  ],
  free: [crawlStatus],
  pages: [crawlResult],
})
