/** What a site allows a crawl, by its robots.txt. A crawl is no person's visit, so the rules for all agents bind it too. */
import { pageLookup } from '../../../../pipelines/lookups/page.ts'
import { isPage, type Page } from '../../../../pipelines/rails/outside/pages/page.ts'
import {
  allows,
  crawlRules,
  noRules,
  type Rules,
} from '../../../../pipelines/rails/outside/pages/robots-rules.ts'
import type { Tools } from '../../../offer/operation.ts'

export interface Manners {
  rules: Rules
  /** The pause between two pages that it asks for. */
  pauseMs: number
  /** Its robots.txt, if it has one. */
  file: Page | undefined
}

const agent = 'Farebox'
const mostBytes = 512 << 10
const longestPauseMs = 30_000
const maxAgeMs = 3_600_000
const closed: Rules = { ...noRules, list: [{ allow: false, pattern: '/' }] }

export async function mannersOf(url: string, { find }: Pick<Tools, 'find'>): Promise<Manners> {
  const { href } = new URL('/robots.txt', url)
  const found = await find(pageLookup, { url: href, render: 'never', kind: 'sitemap', maxAgeMs })
  if (!found) throw new Error('the lookup of pages answers every question')
  if (isPage(found)) {
    const rules = await crawlRules(found.bytes.subarray(0, mostBytes), agent)
    return { rules, pauseMs: Math.min(longestPauseMs, rules.delaySeconds * 1000), file: found }
  }
  // RFC 9309, 2.3.1: a file that is not there allows all, and a server that fails allows nothing.
  const isClosed = found.refusal === 'page_fetch_failed' || found.refusal === 'robots_disallowed'
  return { rules: isClosed ? closed : noRules, pauseMs: 0, file: undefined }
}

export function mayRead(url: string, { rules }: Manners): Promise<boolean> {
  const { pathname, search } = new URL(url)
  return allows(rules, pathname + search)
}
