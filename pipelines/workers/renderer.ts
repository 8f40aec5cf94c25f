/** Renders the pages that the query role asks for. One process owns one browser. */

import { instant } from '../../schemas/values/values.ts'
import { pagesLastMs, type WebPage, webPages } from '../../schemas/web-pages.ts'
import { type WebRequest, webRequests } from '../../schemas/web-requests.ts'
import type { Blobs } from '../rails/blobs/blobs.ts'
import { TimelyTurns } from '../rails/children/timely-turns.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import { Going } from '../rails/going.ts'
import { eventsIn } from '../rails/log/events.ts'
import { entryOf, type Log } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import { type Browser, openBrowser } from '../rails/outside/browser/browser.ts'
import { NoBrowser } from '../rails/outside/browser/browser-failures.ts'
import { BrowserGone } from '../rails/outside/browser/cdp.ts'
import { packed } from '../rails/outside/browser/packing.ts'
import { type Fresh, render } from '../rails/outside/browser/render.ts'
import { browserVariables } from '../rails/outside/browser/variables.ts'
import type { PublicWeb } from '../rails/outside/fetching/visit.ts'
import { type NoPage, shotName } from '../rails/outside/pages/page.ts'
import type { Running } from '../rails/running.ts'
import type { Worker } from './worker.ts'

interface RenderingOptions {
  log: Log
  blobs: Blobs
  browser: Browser
  web: PublicWeb
  now: () => number
  onFailed: (name: string, error: unknown) => void
  /** The number of pages that the browser shows at once. */
  atOnce?: number
  /** The number of pages that may wait. */
  mostWaiting?: number
}

/** After this share of its time a page has no time left to be shown. */
const waitShare = 0.5
/** What a page takes on a busy machine. */
const secondsOfPage = 3

type Outcome = Pick<WebPage, 'outcome'> & Partial<WebPage>

export async function startRendering(options: RenderingOptions): Promise<Running> {
  const { log, browser, now, onFailed, atOnce = 4, mostWaiting = 40 } = options
  const going = new Going<Outcome>()
  const replying = new Set<Promise<void>>()
  const turns = new TimelyTurns({ atOnce, mostWaiting, seconds: secondsOfPage })

  function answerOf(request: WebRequest): Promise<Outcome> {
    const { id, at, caller, ...asked } = request
    const name = asked.own ? id : JSON.stringify(asked)
    const waitMs = Date.parse(at) + request.total_ms * waitShare - now()
    return going.share(name, async () => {
      const turn = await turns.run(caller, waitMs, () => shown(request, options))
      return 'done' in turn ? turn.done : { ...tooMany, retry_after: turn.retryAfterSeconds }
    })
  }

  async function reply(request: WebRequest): Promise<void> {
    const { id, url_hash, wait_ms, certificates, shot } = request
    const outcome = await answerOf(request)
    metrics.renderings.inc({ outcome: outcome.refusal ?? outcome.outcome })
    const event: WebPage = {
      ...{ blob: null, refusal: null, message: null, content_type: null, picture: false, status: null },
      ...{ shot: shotName(shot ?? undefined), retry_after: null },
      ...outcome,
      ...{ id, url_hash, wait_ms, certificates, at: instant(now()) },
    }
    await log.append(webPages.topic, [entryOf(webPages, event)]).catch(error => onFailed('render', error))
  }

  /**
   * A request does not wait for the pages before it: `turns` decides which page is next, and a killed renderer leaves
   * no work behind.
   */
  const following = await log.follow(webRequests.topic, webRequests.name, batch => {
    for (const { event, record } of eventsIn(webRequests, batch)) {
      // A caller who asked longer ago no longer waits.
      if (now() - record.at > event.total_ms) continue
      const replied = reply(event).finally(() => replying.delete(replied))
      replying.add(replied)
    }
  })

  return {
    ended: following.ended,
    close: async () => {
      await following.close()
      await Promise.all(replying)
      await browser.close()
    },
  }
}

async function shown(
  request: WebRequest,
  { blobs, browser, web, now, onFailed }: RenderingOptions,
): Promise<Outcome> {
  const startedAt = performance.now()
  // Its caller has given up waiting.
  if (now() - Date.parse(request.at) > request.total_ms) return tooMany
  try {
    const found = await browser.use(chromium => render(chromium, askedOf(request, now()), web))
    return 'refusal' in found ? refused(found) : await stored(found, blobs)
  } catch (error) {
    // The world or the browser fails: this caller gets a free error, and the next page gets a new browser.
    onFailed('render', error)
    if (error instanceof NoBrowser) return { outcome: 'no_browser', message: error.message }
    const reason =
      error instanceof BrowserGone ? 'the browser ended under the page' : 'it could not be rendered'
    return { outcome: 'failed', message: error instanceof UpstreamFailed ? error.message : reason }
  } finally {
    metrics.renderSeconds.observe((performance.now() - startedAt) / 1000)
  }
}

const stored = async (page: Fresh, blobs: Blobs): Promise<Outcome> => ({
  outcome: 'page',
  blob: await blobs.put(await packed(page), pagesLastMs),
  picture: page.rendered?.picture !== undefined,
  status: page.status,
})

const tooMany: Outcome = { outcome: 'busy', message: 'too many pages wait' }

const askedOf = (request: WebRequest, now: number) => ({
  url: request.url,
  anyStatus: request.any_status,
  picture: request.picture,
  mostPictureBytes: request.most_picture_bytes,
  waitMs: request.wait_ms,
  ...(request.shot && { shot: request.shot }),
  certificates: request.certificates,
  // What it has waited for its turn is gone.
  totalMs: Math.max(1_000, Date.parse(request.at) + request.total_ms - now),
})

const refused = ({ refusal, message, contentType }: NoPage): Outcome => ({
  outcome: 'refused',
  refusal,
  message,
  content_type: contentType ?? null,
})

export const rendering: Worker = {
  part: 'rendering',
  role: 'render',
  follows: { topic: webRequests.topic, group: webRequests.name },
  writes: [webPages],
  variables: [browserVariables],
  async open({ log, pages, web, read, dataDir, bulk, now, onFailed }) {
    const browser = openBrowser({ ...read(browserVariables), dataDir, userAgent: web.userAgent, ca: web.ca })
    if (bulk) browser.warm()
    return startRendering({ log, now, onFailed, web, browser, blobs: await pages() })
  },
}
