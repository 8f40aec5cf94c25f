/** Reads one page of a crawl: its line of the result, and the pages that it links to. */
import { siteOf } from '../../../../pipelines/domains/document/site/addresses.ts'
import { isUnreadable, linksLookup } from '../../../../pipelines/lookups/document.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { Refused } from '../../../offer/errors.ts'
import { mainTextOf } from '../../../offer/main-text.ts'
import type { Tools } from '../../../offer/operation.ts'
import { pageOf, whyNoPage } from '../../../offer/pages.ts'
import { type Manners, mayRead } from './manners.ts'

interface PageLine {
  /** JSON, with a line feed at its end. */
  line: Buffer
  /** The hash of its text. */
  sha256: string
}

export interface PageOutcome {
  page?: PageLine
  links: readonly string[]
  error?: string
  /** Another try may bring it. */
  mayCome?: boolean
}

const maxAgeMs = 3_600_000
/** Errors that may be over after a moment. */
const passing: ReadonlySet<string> = new Set(['busy', 'not_ready', 'page_fetch_failed'])

export async function readLine(url: string, manners: Manners, tools: Tools): Promise<PageOutcome> {
  let links: readonly string[] = []
  try {
    if (!(await mayRead(url, manners))) return { links, error: 'robots_disallowed' }
    const page = await pageOf({ url, render: 'when thin', maxAgeMs }, tools, refuse)
    const { finalUrl, status, fetchedAt, rendered } = page
    if (siteOf(finalUrl) !== siteOf(url)) return { links, error: 'leaves_site' }
    if (!(await mayRead(finalUrl, manners))) return { links, error: 'robots_disallowed' }
    const found = await tools.find(linksLookup, page)
    if (found && !isUnreadable(found)) links = found
    const { title, lang, markdown } = await mainTextOf(page, tools, refuse)
    const told = {
      ...{ url, final_url: finalUrl, title, lang, status, fetched_at: instant(fetchedAt) },
      ...{ rendered: rendered !== undefined, markdown },
    }
    return { links, page: { line: Buffer.from(`${JSON.stringify(told)}\n`), sha256: sha256(markdown) } }
  } catch (error) {
    const reason = whyNoPage(error)
    if (reason === undefined) throw error
    return { links, error: reason, mayCome: passing.has(reason) }
  }
}

const refuse = (code: string, message: string): never => {
  throw new Refused(code, 422, message)
}
