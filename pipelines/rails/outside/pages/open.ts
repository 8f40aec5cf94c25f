/** Finds public pages: in memory, by a visit, or in the browser of the render role. */
import { randomUUID } from 'node:crypto'
import { instant } from '../../../../schemas/values/values.ts'
import { type WebFetch, webFetches } from '../../../../schemas/web-fetches.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import { entryOf, type Log } from '../../log/log.ts'
import type { Running } from '../../running.ts'
import { Busy, NoBrowser } from '../browser/failures.ts'
import type { Fresh } from '../browser/render.ts'
import { readPublicUrl } from '../fetching/address.ts'
import { NotPublic } from '../fetching/failures.ts'
import type { PublicFetch } from '../fetching/visit.ts'
import { HostTurns, type HostTurnsOptions } from './host-turns.ts'
import type { Looking } from './look.ts'
import { PageMemory } from './memory.ts'
import type { FindPage, NoPage, Page, PageAsked } from './page.ts'
import { whyFailed } from './refusals.ts'
import { openRenderers } from './renderers.ts'
import { openRobots } from './robots.ts'
import { type Found, visitsOf } from './visited.ts'

export interface Pages extends Running {
  find: FindPage
  /** The page in memory that answers the question. */
  atHand(asked: PageAsked): Page | undefined
}

export interface PagesOptions {
  log: Log
  blobs: Blobs
  visits: PublicFetch
  reading: Looking
  now: () => number
  onFailed: (error: unknown) => void
  turns?: Omit<HostTurnsOptions, 'now'>
  memoryBytes?: number
}

const usualMemoryBytes = 64 << 20
/** A question has 28 s. Where a visit may be followed by a rendering, each has a part of it. */
const timesMs = { visit: 24_000, visitBeforeRender: 10_000, render: 22_000, renderAfterVisit: 14_000 }
const pdfBytes = 25 << 20

export async function openPages(options: PagesOptions): Promise<Pages> {
  const { log, visits, reading, now, onFailed, memoryBytes = usualMemoryBytes } = options
  const renderers = await openRenderers(options)
  const visit = visitsOf({ visits, reading, now })
  const robots = openRobots(visits, now)
  const turns = new HostTurns({ ...options.turns, now })
  const memory = new PageMemory(memoryBytes)
  const going = new Map<string, Promise<Found | NoPage>>()

  /** Everybody who asks for the same at the same moment gets the same. */
  function shared(name: string, own: boolean, fetch: () => Promise<Found | NoPage>) {
    const same = own ? undefined : going.get(name)
    if (same) return same
    const fetching = fetch().finally(() => {
      if (going.get(name) === fetching) going.delete(name)
    })
    if (!own) going.set(name, fetching)
    return fetching
  }

  function visited(asked: PageAsked): Promise<Found | NoPage> {
    const { url, kind = 'page', anyStatus = false, own = false, render } = asked
    const totalMs = render === 'when thin' ? timesMs.visitBeforeRender : timesMs.visit
    const limits = kind === 'pdf' ? { maxBytes: pdfBytes, totalMs: timesMs.visit } : { totalMs }
    return shared(`visit ${kind} ${anyStatus} ${url}`, own, () =>
      fetched(asked, false, () => visit(asked, limits)),
    )
  }

  async function rendered(asked: PageAsked, totalMs: number): Promise<Found | NoPage> {
    const { own = false, url, picture, waitMs, certificates, anyStatus } = asked
    const known = own ? undefined : await renderers.known(asked, now() - asked.maxAgeMs)
    if (known) return { page: known, isThin: false }
    return shared(JSON.stringify(['render', url, picture, waitMs, certificates, anyStatus]), own, () =>
      fetched(asked, true, async () => {
        const found = await renderers.render(asked, totalMs)
        return 'refusal' in found ? { ...found, rendered: true } : { page: found, isThin: false }
      }),
    )
  }

  /** A turn at the host, the fetch, and what is told of it. */
  async function fetched(
    asked: PageAsked,
    isRendered: boolean,
    fetch: () => Promise<Found | NoPage>,
  ): Promise<Found | NoPage> {
    const startedAt = performance.now()
    const tell = (outcome: string, page?: Fresh) =>
      record({
        id: randomUUID(),
        at: instant(now()),
        rendered: isRendered,
        outcome,
        status: page?.status ?? null,
        took_ms: Math.round(performance.now() - startedAt),
        bytes: page?.bytes.length ?? 0,
        content_type: page?.contentType ?? '',
      })
    try {
      const url = new URL(asked.url)
      const found = (await robots.allows(url)) ? await turns.run(url.hostname, fetch) : disallowed(url)
      const checked = 'refusal' in found ? found : await allowed(found, url)
      if ('refusal' in checked) tell(checked.refusal)
      else {
        tell('page', checked.page)
        remember(asked, checked)
      }
      return checked
    } catch (error) {
      tell(error instanceof Busy ? 'busy' : error instanceof NoBrowser ? 'no_browser' : 'failed')
      throw error
    }
  }

  /** A redirect may lead to a site that does not want it. */
  async function allowed(found: Found, asked: URL): Promise<Found | NoPage> {
    const final = new URL(found.page.finalUrl)
    return final.origin === asked.origin || (await robots.allows(final)) ? found : disallowed(final)
  }

  function remember({ waitMs = 0, kind = 'page', own }: PageAsked, found: Found): void {
    if (!own) memory.add({ ...found, waitMs, kind })
  }

  function record(fetch: WebFetch): void {
    // No caller waits for it, and none is refused because it failed.
    log.append(webFetches.topic, [entryOf(webFetches, fetch)]).catch(onFailed)
  }

  async function find(question: PageAsked): Promise<Page | NoPage> {
    const url = urlOf(question.url)
    if (typeof url !== 'string') return url
    const asked = { ...question, url }
    const askedAt = now()
    const kept = keptOf(asked, askedAt)
    const found = kept ? { page: kept } : await fetchedAs(asked)
    return 'refusal' in found ? found : toldOf(found.page, askedAt)
  }

  function atHand(question: PageAsked): Page | undefined {
    const url = urlOf(question.url)
    const askedAt = now()
    const kept = typeof url === 'string' ? keptOf({ ...question, url }, askedAt) : undefined
    return kept && toldOf(kept, askedAt)
  }

  const keptOf = (asked: PageAsked, askedAt: number): Fresh | undefined =>
    asked.own ? undefined : memory.find(asked, askedAt - asked.maxAgeMs)

  async function fetchedAs(asked: PageAsked): Promise<Found | NoPage> {
    if (asked.render === 'always') return rendered(asked, timesMs.render)
    const found = await visited(asked)
    if ('refusal' in found || asked.render === 'never' || asked.kind === 'pdf' || !found.isThin) return found
    return rendered(asked, timesMs.renderAfterVisit)
  }

  return { find, atHand, ended: renderers.ended, close: () => renderers.close() }
}

function urlOf(text: string): string | NoPage {
  try {
    return readPublicUrl(text).href
  } catch (error) {
    if (error instanceof NotPublic) return whyFailed(error)
    throw error
  }
}

const toldOf = (page: Fresh, askedAt: number): Page => ({
  ...page,
  cached: page.fetchedAt < askedAt,
  ageMs: Math.max(0, askedAt - page.fetchedAt),
})

const disallowed = ({ hostname }: URL): NoPage => ({
  refusal: 'robots_disallowed',
  message: `The robots.txt of ${hostname} names Farebox and disallows the page`,
})
