/** Visits a page. What stands in it is read by a child. */

import type { Fresh } from '../browser/render.ts'
import type { PublicFetch, Visited, VisitRequest } from '../fetching/visit.ts'
import { NotPublic, VisitFailed } from '../fetching/visit-failures.ts'
import { challengeOf } from './challenge.ts'
import { isUnreadable, type Looking } from './look.ts'
import type { NoPage, PageAsked } from './page.ts'
import { noPageOf, whyFailed } from './refusals.ts'

export interface FoundPage {
  page: Fresh
  /** Whether it says little without its scripts. False for every page that has been rendered. */
  isThin: boolean
}

interface Needs {
  visits: PublicFetch
  reading: Looking
  now: () => number
}

const accepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

export const visitsOf =
  ({ visits, reading, now }: Needs) =>
  async (asked: PageAsked, limits: VisitRequest): Promise<FoundPage | NoPage> => {
    const requestedAt = now()
    try {
      const visited = await visits.visit(asked.url, { ...limits, accept: accepts })
      return await looked(pageOf(asked, visited, requestedAt, now()), asked, reading)
    } catch (error) {
      if (error instanceof NotPublic || error instanceof VisitFailed) return whyFailed(error)
      throw error
    }
  }

async function looked(page: Fresh, asked: PageAsked, reading: Needs['reading']): Promise<FoundPage | NoPage> {
  const { finalUrl: url, status, headers, contentType } = page
  const seen =
    contentType === 'application/pdf' ? { challenge: undefined, isThin: false } : await reading.look(page)
  if (isUnreadable(seen))
    return {
      refusal: 'page_too_large',
      message: `The page of ${new URL(url).hostname} takes too much to be read`,
    }
  const challenge = challengeOf(headers, status) ?? seen.challenge
  const refused = noPageOf({ url, status, headers, contentType, challenge, asked })
  return refused ?? { page, isThin: seen.isThin }
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
