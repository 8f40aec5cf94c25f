/** Visits a page. A child process reads its content. */

import type { Fresh } from '../browser/render.ts'
import type { PublicFetch, Visited, VisitRequest } from '../fetching/visit.ts'
import { NotPublic, VisitFailed } from '../fetching/visit-failures.ts'
import { challengeOf } from './challenge.ts'
import { isUnreadable, type Looking } from './look.ts'
import type { NoPage, PageAsked } from './page.ts'
import { noPageOf, whyFailed } from './refusals.ts'

export interface FoundPage {
  page: Fresh
  /** Whether the page has little text without its scripts. False for every rendered page. */
  isThin: boolean
  /** It has no text of its own, and sends its reader there. */
  movedTo?: string
}

interface Needs {
  visits: PublicFetch
  reading: Looking
  now: () => number
}

/** Pages in a row that only send their reader elsewhere. */
const mostMoves = 2
const accepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

export const visitsOf =
  ({ visits, reading, now }: Needs) =>
  async (asked: PageAsked, limits: VisitRequest): Promise<FoundPage | NoPage> => {
    const requestedAt = now()
    try {
      let url = asked.url
      const redirects: Fresh['redirects'][number][] = []
      for (let moves = 0; ; moves += 1) {
        const visited = await visits.visit(url, {
          ...limits,
          ...leftOf(limits, now() - requestedAt),
          accept: accepts,
        })
        const page = pageOf(asked, visited, requestedAt, now())
        const found = await looked({ ...page, redirects: [...redirects, ...page.redirects] }, asked, reading)
        if ('refusal' in found || found.movedTo === undefined) return found
        if (moves === mostMoves) return endless(found)
        redirects.push(...page.redirects, { url: page.finalUrl, status: page.status })
        url = found.movedTo
      }
    } catch (error) {
      if (error instanceof NotPublic || error instanceof VisitFailed) return whyFailed(error)
      throw error
    }
  }

/** All of them together have the time of one. */
const leftOf = ({ totalMs }: VisitRequest, usedMs: number): Pick<VisitRequest, 'totalMs'> =>
  totalMs === undefined ? {} : { totalMs: Math.max(1_000, totalMs - usedMs) }

const endless = ({ page }: FoundPage): NoPage => ({
  refusal: 'too_many_redirects',
  message: `${new URL(page.finalUrl).hostname} sends its reader from page to page`,
})

async function looked(page: Fresh, asked: PageAsked, reading: Needs['reading']): Promise<FoundPage | NoPage> {
  const { finalUrl: url, status, headers, contentType } = page
  const seen =
    contentType === 'application/pdf' || asked.kind === 'sitemap'
      ? { challenge: undefined, isThin: false, refresh: undefined }
      : await reading.look(page)
  if (isUnreadable(seen))
    return {
      refusal: 'page_too_large',
      message: `The page of ${new URL(url).hostname} takes too much to be read`,
    }
  const challenge = challengeOf(headers, status) ?? seen.challenge
  const refused = noPageOf({ url, status, headers, contentType, challenge, asked })
  if (refused) return refused
  const target = asked.anyStatus ? undefined : URL.parse(seen.refresh ?? '', url)?.href
  return { page, isThin: seen.isThin, ...(target && target !== url ? { movedTo: target } : {}) }
}

function pageOf({ url }: PageAsked, visited: Visited, requestedAt: number, fetchedAt: number): Fresh {
  const { url: finalUrl, status, hops, bytes, type } = visited
  const { port, protocol } = new URL(finalUrl)
  return {
    url,
    finalUrl,
    redirects: hops.slice(0, -1).map(({ url, status }) => ({ url, status })),
    status,
    headers: Object.fromEntries(
      Object.entries(visited.headers).map(([name, value]) => [name, String(value)]),
    ),
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
