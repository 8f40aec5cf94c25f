/** The operations that read texts, over the sample site of the sandbox and a web search on loopback. */
import { onTestFinished } from 'vitest'
import { openReading, type ReadingOptions } from '../../../../pipelines/domains/document/reader.ts'
import {
  linksLookup,
  mainLookup,
  pdfLookup,
  sitemapLookup,
  summaryLookup,
} from '../../../../pipelines/lookups/document.ts'
import type { Lookup } from '../../../../pipelines/lookups/lookup.ts'
import { searchLookup } from '../../../../pipelines/lookups/search.ts'
import { sample } from '../../../../pipelines/samples/search.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { sitePages } from '../../../../services/sandbox/site/pages.ts'
import { publicAddress, type Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import { startUpstream } from '../../../upstream.ts'
import type { Asking } from '../ask.ts'
import { openRig } from './rendering.ts'

export const at = Date.parse('2026-11-22T12:00:00.000Z')

interface Options {
  /** Undefined if the operator has named no search. */
  search?: 'sample' | 'nothing'
  reading?: ReadingOptions
  pages?: Record<string, (typeof sitePages)[string]>
}

/** Test files of one worker share this module, one after the other. */
let shared: ReturnType<typeof openReading> | undefined
export async function closeTexts(): Promise<void> {
  await shared?.close()
  shared = undefined
}

export async function openTexts(
  web: Web,
  { search, reading: bounds, pages = {} }: Options = {},
): Promise<Asking> {
  const site = { ...sitePages, ...pages }
  for (const page of Object.keys(site)) {
    const [host = ''] = page.split('/')
    web.names.set(host, [[publicAddress]])
  }
  web.answer = ({ headers, url }, response) => {
    const {
      status = 200,
      type = 'text/html; charset=utf-8',
      headers: more,
      body,
    } = site[`${headers.host}${url}`] ?? { status: 404, body: 'no such page' }
    response.writeHead(status, { 'content-type': type, ...more }).end(body)
  }
  const engine = await startUpstream(({ url = '' }, response) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://search.sample')
    const found = search === 'sample' && sample({ path, query, now: at, payTo: '' })
    response.writeHead(200, { 'content-type': 'application/json' }).end(found ? found.body : '{"results":[]}')
  })
  shared ??= openReading()
  const reading = bounds ? openReading(bounds) : shared
  if (bounds) onTestFinished(() => reading.close())
  const rig = await openRig(web, onTestFinished, {
    browser: 'none',
    now: () => at,
    besides: {
      lookups: [mainLookup, linksLookup, sitemapLookup, pdfLookup, summaryLookup, searchLookup] as Lookup[],
      needs: { reading, search: search && { api: 'searxng', token: undefined } },
      at: { SEARCH_URL: engine.url },
    },
  })
  return { shelf: new Shelf(() => at), now: () => at, find: rig.find }
}
