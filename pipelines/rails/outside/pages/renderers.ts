/** Asks the render role for pages, and remembers the pages that any instance got within the last hour. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { instant } from '../../../../schemas/values/values.ts'
import { pagesLastMs, type WebPage, webPages } from '../../../../schemas/web-pages.ts'
import { type WebRequest, webRequests } from '../../../../schemas/web-requests.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import { Bounded } from '../../bounded.ts'
import { callerNow } from '../../children/caller.ts'
import { UpstreamFailed } from '../../failures.ts'
import { eventsIn } from '../../log/events.ts'
import { entryOf, type Log, type Received } from '../../log/log.ts'
import type { Running } from '../../running.ts'
import { sha256 } from '../../signing/sha256.ts'
import { Busy, NoBrowser } from '../browser/browser-failures.ts'
import { unpacked } from '../browser/packing.ts'
import type { Fresh } from '../browser/render.ts'
import { type NoPage, type PageAsked, type PageRefusal, shotName } from './page.ts'

export interface Renderers extends Running {
  /** Rejects with NoBrowser, Busy or UpstreamFailed. */
  render(asked: PageAsked, totalMs: number): Promise<Fresh | NoPage>
  /** Finds a page that answers the question and that some instance got since then. */
  known(asked: PageAsked, since: number): Promise<Fresh | undefined>
}

interface RenderersOptions {
  log: Log
  blobs: Blobs
  now: () => number
}

const mostKnown = 10_000
/** The time for the way to the renderer and back. */
const wayMs = 3_000
const usualPictureBytes = 600_000

export async function openRenderers({ log, blobs, now }: RenderersOptions): Promise<Renderers> {
  /**
   * Callers are private: a caller's name is different for each process, so a renderer learns only which requests have
   * the same caller.
   */
  const secret = randomBytes(32)
  const waiting = new Map<string, (page: WebPage) => void>()
  const known = new Bounded<WebPage[]>({ most: mostKnown })

  function take(batch: readonly Received[]): void {
    for (const { event } of eventsIn(webPages, batch)) {
      waiting.get(event.id)?.(event)
      if (event.outcome === 'page') remember(event)
    }
  }

  function remember(page: WebPage): void {
    const { url_hash } = page
    const lasting = [page, ...(known.peek(url_hash) ?? [])].filter(
      ({ at }) => now() - Date.parse(at) < pagesLastMs,
    )
    known.set(url_hash, lasting.slice(0, 4))
  }

  async function answered(request: WebRequest): Promise<WebPage> {
    const { promise, resolve, reject } = Promise.withResolvers<WebPage>()
    const late = () => reject(new UpstreamFailed('no renderer answered in time'))
    const timer = setTimeout(late, request.total_ms + wayMs)
    waiting.set(request.id, resolve)
    try {
      await log.append(webRequests.topic, [entryOf(webRequests, request)])
      return await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(request.id)
    }
  }

  const watching = await log.watch(webPages.topic, take)
  await watching.caughtUp

  return {
    async render(asked, totalMs) {
      const page = await answered({ ...requestOf(asked, totalMs, now()), caller: callerName(secret) })
      const message = page.message ?? ''
      if (page.outcome === 'no_browser') throw new NoBrowser(message)
      if (page.outcome === 'busy') throw new Busy('Too many pages wait to be rendered', page.retry_after ?? 5)
      // A page that kills the browser is a failed page: this bounds a caller who asks for it again and again.
      if (page.outcome !== 'page') return refusedBy(page)
      return unpacked(await blobs.get(page.blob as string))
    },
    async known(asked, since) {
      const page = known.peek(sha256(asked.url))?.find(one => fits(one, asked, since))
      // If a blob is lost, or comes from another release, the page is rendered again.
      return (
        page &&
        blobs
          .get(page.blob as string)
          .then(unpacked)
          .catch(() => undefined)
      )
    },
    ended: watching.ended,
    close: () => watching.close(),
  }
}

const callerName = (secret: Buffer): string =>
  createHmac('sha256', secret).update(callerNow()).digest('base64url').slice(0, 16)

const requestOf = (asked: PageAsked, totalMs: number, at: number): Omit<WebRequest, 'caller'> => ({
  id: randomUUID(),
  url_hash: sha256(asked.url),
  url: asked.url,
  picture: asked.picture ?? false,
  most_picture_bytes: asked.mostPictureBytes ?? usualPictureBytes,
  wait_ms: asked.waitMs ?? 0,
  shot: asked.shot ?? null,
  certificates: asked.certificates ?? false,
  any_status: asked.anyStatus ?? false,
  own: asked.own ?? false,
  total_ms: totalMs,
  at: instant(at),
})

const fits = (page: WebPage, asked: PageAsked, since: number): boolean =>
  Date.parse(page.at) >= since &&
  page.shot === shotName(asked.shot) &&
  (page.picture || !asked.picture) &&
  (page.wait_ms === (asked.waitMs ?? 0) || !asked.picture) &&
  (page.certificates || !asked.certificates) &&
  ((page.status ?? 0) < 400 || asked.anyStatus === true)

const refusedBy = ({ refusal, message, content_type }: WebPage): NoPage => ({
  refusal: (refusal as PageRefusal | null) ?? 'page_fetch_failed',
  message: message ?? '',
  ...(content_type !== null && { contentType: content_type }),
})
