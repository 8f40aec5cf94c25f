/** The shared parts of operations that show a page: fields, refusals, and the way to the page. */
import { z } from 'zod'
import { pageLookup } from '../../pipelines/lookups/page.ts'
import { NotReady, UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { Busy } from '../../pipelines/rails/outside/browser/browser-failures.ts'
import {
  isPage,
  type Page,
  type PageAsked,
  type PageRefusal,
} from '../../pipelines/rails/outside/pages/page.ts'
import { instant } from '../../schemas/values/values.ts'
import { Refused } from './errors.ts'
import type { Refusal, Tools } from './operation.ts'

/** The request fields. */
export const pageQuestion = {
  url: z.string().min(1, 'a URL').max(2048, 'at most 2048 characters').describe('A public http or https URL'),
  max_age_seconds: z.int().min(0).max(3600).default(300).describe('How old a copy may be; 0 fetches it anew'),
}

/** The response fields. */
export const pageAnswer = {
  url: z.string().describe('The URL that was asked for'),
  final_url: z.string().describe('Where its redirects end'),
  status: z.int().describe('The HTTP status of the page'),
  fetched_at: z.string().describe('When the page was fetched, also where it comes from the cache'),
  cached: z.boolean(),
  cache_age_seconds: z.int(),
}

export const pageRefusals = {
  invalid_url: { status: 400, about: 'The URL is malformed, or not public' },
  page_fetch_failed: {
    status: 502,
    about: 'The page could not be fetched: DNS, connection, TLS, time-out, 5xx',
  },
  page_refused: { status: 422, about: 'The site refused: 401, 403, 404, 410, 429, 451 and the like' },
  blocked_by_site: { status: 422, about: 'The site sent a challenge in place of the page' },
  too_many_redirects: { status: 422, about: 'The URL redirects more than five times' },
  page_too_large: { status: 422, about: 'The page is larger than 8 MB, or takes too much to be read' },
  robots_disallowed: {
    status: 422,
    about: 'The robots.txt of the site names Farebox and disallows the page',
  },
  not_a_page: { status: 422, about: 'There is something else than a page of HTML or text' },
} as const satisfies Record<PageRefusal, Refusal>

/** Finds the page, or refuses. */
export async function pageOf(
  asked: PageAsked,
  { find }: Pick<Tools, 'find'>,
  refuse: (code: PageRefusal, message: string) => never,
): Promise<Page> {
  const found = await find(pageLookup, asked)
  if (!found) throw new Error('the lookup of pages answers every question')
  return isPage(found) ? found : refuse(found.refusal, found.message)
}

/** The code of a page that could not be read, where others can do without it. Undefined if we ourselves have failed. */
export function whyNoPage(error: unknown): string | undefined {
  if (error instanceof Refused) return error.code
  if (error instanceof UpstreamFailed) return 'page_fetch_failed'
  if (error instanceof Busy) return 'busy'
  return error instanceof NotReady ? 'not_ready' : undefined
}

export const pageAnswered = ({ url, finalUrl, status, fetchedAt, cached, ageMs }: Page) => ({
  url,
  final_url: finalUrl,
  status,
  fetched_at: instant(fetchedAt),
  cached,
  cache_age_seconds: Math.floor(ageMs / 1000),
})

/** The same fields of an example. */
export const pageExample = (url: string, fetchedAt: string) => ({
  ...{ url, final_url: url, status: 200 },
  ...{ fetched_at: fetchedAt, cached: false, cache_age_seconds: 0 },
})
