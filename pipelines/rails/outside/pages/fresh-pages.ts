/**
 * Fetches a page that is not in memory: by a visit, in the browser, or in the browser after a visit that found little
 * text.
 */
import { Going } from '../../going.ts'
import type { NoPage, PageAsked } from './page.ts'
import type { politeFetch } from './polite.ts'
import type { Renderers } from './renderers.ts'
import type { FoundPage, visitsOf } from './visited.ts'

interface FreshOptions {
  visit: ReturnType<typeof visitsOf>
  renderers: Renderers
  politely: ReturnType<typeof politeFetch>
  now: () => number
  /** Is called with a page that others may get too. */
  onFound(asked: PageAsked, found: FoundPage): void
}

/** A question has 28 s. A visit and a rendering after it share that time. */
const timesMs = { visit: 24_000, visitBeforeRender: 10_000, render: 22_000, renderAfterVisit: 14_000 }
const pdfBytes = 25 << 20
/** A crawl reads several of them before it answers. */
const ofSitemap = { beyond: 'cut', totalMs: 6_000 } as const

export function freshPages({ visit, renderers, politely, now, onFound }: FreshOptions) {
  const going = new Going<FoundPage | NoPage>()
  const shared = ({ own }: PageAsked, name: string, fetch: () => Promise<FoundPage | NoPage>) =>
    own ? fetch() : going.share(name, fetch)

  function visited(asked: PageAsked): Promise<FoundPage | NoPage> {
    const { url, kind = 'page', anyStatus = false, render } = asked
    const totalMs = render === 'when thin' ? timesMs.visitBeforeRender : timesMs.visit
    const ofPage = kind === 'pdf' ? { maxBytes: pdfBytes, totalMs: timesMs.visit } : { totalMs }
    const limits = kind === 'sitemap' ? ofSitemap : ofPage
    return shared(asked, `visit ${kind} ${anyStatus} ${url}`, () =>
      fetched(asked, false, () => visit(asked, limits)),
    )
  }

  async function rendered(asked: PageAsked, totalMs: number): Promise<FoundPage | NoPage> {
    const { own, url, picture, waitMs, certificates, anyStatus, shot } = asked
    const known = own ? undefined : await renderers.known(asked, now() - asked.maxAgeMs)
    if (known) return { page: known, isThin: false }
    const name = JSON.stringify(['render', url, picture, waitMs, certificates, anyStatus, shot])
    return shared(asked, name, () =>
      fetched(asked, true, async () => {
        const found = await renderers.render(asked, totalMs)
        return 'refusal' in found ? { ...found, rendered: true } : { page: found, isThin: false }
      }),
    )
  }

  async function fetched(asked: PageAsked, isRendered: boolean, fetch: () => Promise<FoundPage | NoPage>) {
    const found = await politely(new URL(asked.url), isRendered, fetch)
    if (!('refusal' in found) && !asked.own) onFound(asked, found)
    return found
  }

  return async (asked: PageAsked): Promise<FoundPage | NoPage> => {
    if (asked.render === 'always') return rendered(asked, timesMs.render)
    const found = await visited(asked)
    if ('refusal' in found || asked.render === 'never' || asked.kind === 'pdf' || !found.isThin) return found
    return rendered(asked, timesMs.renderAfterVisit)
  }
}
