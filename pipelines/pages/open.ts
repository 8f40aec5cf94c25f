/** Finds public pages: in memory, by a visit, or in the browser of the render role. */
import { randomUUID } from 'node:crypto'
import { instant } from '../../schemas/values.ts'
import { type WebFetch, webFetches } from '../../schemas/web-fetches.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { entryOf, type Log } from '../log/log.ts'
import { readPublicUrl } from '../public-fetch/address.ts'
import { NotPublic, VisitFailed } from '../public-fetch/failures.ts'
import type { PublicFetch, Visited } from '../public-fetch/visit.ts'
import type { Running } from '../running.ts'
import { textOf } from '../web/charset.ts'
import { Busy, NoBrowser } from '../web/failures.ts'
import type { FindPage, NoPage, Page, PageAsked } from '../web/page.ts'
import { noPageOf, whyFailed } from '../web/refusals.ts'
import type { Fresh } from '../web/render.ts'
import { openRobots } from '../web/robots.ts'
import { HostTurns, type HostTurnsOptions } from './host-turns.ts'
import { PageMemory } from './memory.ts'
import { openRenderers } from './renderers.ts'
import { isThin } from './thin.ts'

export interface Pages extends Running {
  find: FindPage
  /** The page in memory that answers the question. */
  atHand(asked: PageAsked): Page | undefined
}

export interface PagesOptions {
  log: Log
  blobs: Blobs
  visits: PublicFetch
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
  const { log, visits, now, onFailed, memoryBytes = usualMemoryBytes } = options
  const renderers = await openRenderers(options)
  const robots = openRobots(visits, now)
  const turns = new HostTurns({ ...options.turns, now })
  const memory = new PageMemory(memoryBytes)
  const going = new Map<string, Promise<Fresh | NoPage>>()

  /** Everybody who asks for the same at the same moment gets the same. */
  function shared(name: string, own: boolean, fetch: () => Promise<Fresh | NoPage>) {
    const same = own ? undefined : going.get(name)
    if (same) return same
    const fetching = fetch().finally(() => {
      if (going.get(name) === fetching) going.delete(name)
    })
    if (!own) going.set(name, fetching)
    return fetching
  }

  function visited(asked: PageAsked): Promise<Fresh | NoPage> {
    const { url, kind = 'page', anyStatus = false, own = false, render } = asked
    const totalMs = render === 'when thin' ? timesMs.visitBeforeRender : timesMs.visit
    const limits = kind === 'pdf' ? { maxBytes: pdfBytes, totalMs: timesMs.visit } : { totalMs }
    return shared(`visit ${kind} ${anyStatus} ${url}`, own, () =>
      fetched(asked, false, async () => {
        const requestedAt = now()
        try {
          return pageOf(asked, await visits.visit(url, { ...limits, accept: accepts }), requestedAt, now())
        } catch (error) {
          if (error instanceof NotPublic || error instanceof VisitFailed) return whyFailed(error)
          throw error
        }
      }),
    )
  }

  async function rendered(asked: PageAsked, totalMs: number): Promise<Fresh | NoPage> {
    const { own = false, url, picture, waitMs, certificates, anyStatus } = asked
    const known = own ? undefined : await renderers.known(asked, now() - asked.maxAgeMs)
    if (known) return known
    return shared(JSON.stringify(['render', url, picture, waitMs, certificates, anyStatus]), own, () =>
      fetched(asked, true, async () => {
        const found = await renderers.render(asked, totalMs)
        return 'refusal' in found ? { ...found, rendered: true } : found
      }),
    )
  }

  /** A turn at the host, the fetch, and what is told of it. */
  async function fetched(
    asked: PageAsked,
    isRendered: boolean,
    fetch: () => Promise<Fresh | NoPage>,
  ): Promise<Fresh | NoPage> {
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
        tell('page', checked)
        remember(asked, checked, isRendered)
      }
      return checked
    } catch (error) {
      tell(error instanceof Busy ? 'busy' : error instanceof NoBrowser ? 'no_browser' : 'failed')
      throw error
    }
  }

  /** A redirect may lead to a site that does not want it. */
  async function allowed(page: Fresh, asked: URL): Promise<Fresh | NoPage> {
    const final = new URL(page.finalUrl)
    return final.origin === asked.origin || (await robots.allows(final)) ? page : disallowed(final)
  }

  function remember({ waitMs = 0, kind = 'page', own }: PageAsked, page: Fresh, isRendered: boolean): void {
    if (own) return
    memory.add({ page, waitMs, kind, isThin: !isRendered && thin(page) })
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
    const found = keptOf(asked, askedAt) ?? (await fetchedAs(asked))
    return 'refusal' in found ? found : toldOf(found, askedAt)
  }

  function atHand(question: PageAsked): Page | undefined {
    const url = urlOf(question.url)
    const askedAt = now()
    const kept = typeof url === 'string' ? keptOf({ ...question, url }, askedAt) : undefined
    return kept && toldOf(kept, askedAt)
  }

  const keptOf = (asked: PageAsked, askedAt: number): Fresh | undefined =>
    asked.own ? undefined : memory.find(asked, askedAt - asked.maxAgeMs)

  async function fetchedAs(asked: PageAsked): Promise<Fresh | NoPage> {
    if (asked.render === 'always') return rendered(asked, timesMs.render)
    const found = await visited(asked)
    if ('refusal' in found || asked.render === 'never' || asked.kind === 'pdf' || !thin(found)) return found
    return rendered(asked, timesMs.renderAfterVisit)
  }

  return { find, atHand, ended: renderers.ended, close: () => renderers.close() }
}

const accepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const thin = (page: Fresh): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/.test(page.contentType) && isThin(textOf(page))

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

function pageOf(asked: PageAsked, visited: Visited, requestedAt: number, fetchedAt: number): Fresh | NoPage {
  const { url: finalUrl, status, hops, bytes, type } = visited
  const headers = Object.fromEntries(
    Object.entries(visited.headers).map(([name, value]) => [name, String(value)]),
  )
  const refused = noPageOf({
    url: finalUrl,
    status,
    headers,
    contentType: type.essence,
    body: bytes,
    asked,
  })
  if (refused) return refused
  const { port, protocol } = new URL(finalUrl)
  return {
    url: asked.url,
    finalUrl,
    redirects: hops.slice(0, -1).map(({ url, status }) => ({ url, status })),
    status,
    headers,
    contentType: type.essence,
    charset: type.charset,
    bytes,
    rendered: undefined,
    address: hops.at(-1)?.address ?? '',
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    requestedAt,
    fetchedAt,
  }
}
