/** The whole way of a page: its lookup, the log, a renderer with a real browser, and a small web on loopback. */

import { openReading } from '../../../../pipelines/domains/document/reader.ts'
import { visibleLookup } from '../../../../pipelines/lookups/document.ts'
import type { Lookup } from '../../../../pipelines/lookups/lookup.ts'
import { pageLookup } from '../../../../pipelines/lookups/page.ts'
import { startLookups } from '../../../../pipelines/lookups/runner.ts'
import { openBlobs } from '../../../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { type BrowserOptions, openBrowser } from '../../../../pipelines/rails/outside/browser/browser.ts'
import { openPages, type PagesOptions } from '../../../../pipelines/rails/outside/pages/open-pages.ts'
import { createOutside } from '../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { startRendering } from '../../../../pipelines/workers/renderer.ts'
import { webFetches } from '../../../../schemas/web-fetches.ts'
import { webPages } from '../../../../schemas/web-pages.ts'
import { webRequests } from '../../../../schemas/web-requests.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { browserFolder } from '../../../browser-folder.ts'
import type { Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import { scratchFolder } from '../../../scratch.ts'

export const webTopics = [webRequests, webPages, webFetches].map(({ topic }) => topic)

/** Tests ask one host for everything and have no time for pauses. */
const hurried = { atOnce: 20, pauseMs: 0, mostWaiting: 1000 }

export interface RigOptions {
  turns?: PagesOptions['turns']
  /** `none`: there is no renderer. */
  browser?: 'none' | Partial<BrowserOptions>
  /** The trusted authority, in PEM. */
  ca?: string
  now?: () => number
  /** More lookups, and their needs. */
  besides?: { lookups: readonly Lookup[]; needs: object; at?: Record<string, string> }
}

export async function openRig(web: Web, atEnd: (end: () => Promise<void>) => void, options: RigOptions = {}) {
  const { turns = hurried, browser: its = {}, ca, now = Date.now, besides } = options
  const folder = scratchFolder(end => atEnd(async () => end()))
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: webTopics })
  const blobs = await openBlobs(`file:${folder}/blobs`, { now })
  const failures: unknown[] = []
  const onFailed = (_: string, error: unknown) => void failures.push(error)
  const publicWeb = { resolve: web.resolve, reach: web.reach, ca }
  const browser = openBrowser({
    dataDir: browserFolder,
    withoutSandbox: false,
    userAgent: 'Farebox/0.0 (+test)',
    ca,
    ...(its !== 'none' && its),
  })
  const renderer =
    its === 'none' ? undefined : await startRendering({ log, blobs, browser, web: publicWeb, now, onFailed })
  const reading = openReading()
  const pages = await openPages({
    log,
    reading,
    blobs,
    visits: web.fetch(publicWeb),
    now,
    turns,
    onFailed: error => void failures.push(error),
  })
  const finder = await startLookups(
    [pageLookup as Lookup, visibleLookup as Lookup, ...(besides?.lookups ?? [])],
    {
      needsOf: () => ({ pages: pages.find, reading, ...besides?.needs }),
      outside: createOutside({ at: besides?.at ?? {}, contact: 'test', now }),
      now,
    },
  )
  atEnd(async () => {
    await finder.close()
    await pages.close()
    await reading.close()
    await renderer?.close()
    await browser.close()
    await blobs.close()
    await log.close()
  })
  const find: Tools['find'] = (lookup, key, onAsked) => finder.find(lookup, key, onAsked)
  return { find, log, blobs, browser, pages, failures }
}

export type Rig = Awaited<ReturnType<typeof openRig>>
