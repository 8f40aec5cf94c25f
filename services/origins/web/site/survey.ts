/** Finds the pages of a site: those that its sitemaps name, and those that one page links to. */
import { setImmediate as turn } from 'node:timers/promises'
import { addressIn, isUnder, pageKey, siteOf } from '../../../../pipelines/domains/document/site/addresses.ts'
import { isUnreadable, linksLookup, sitemapLookup } from '../../../../pipelines/lookups/document.ts'
import { pageLookup } from '../../../../pipelines/lookups/page.ts'
import { isPage, type Page, type PageRefusal } from '../../../../pipelines/rails/outside/pages/page.ts'
import type { Tools } from '../../../offer/operation.ts'
import { pageOf, whyNoPage } from '../../../offer/pages.ts'
import { type Manners, mannersOf, mayRead } from './manners.ts'

interface KnownPage {
  url: string
  lastmod: string | null
  from: 'sitemap' | 'page'
}

interface ReadSitemap {
  url: string
  /** The number of pages and sitemaps that it names. */
  entries: number
  error: string | null
}

interface Survey {
  page: Page
  manners: Manners
  known: KnownPage[]
  sitemaps: ReadSitemap[]
  /** The pages that robots.txt keeps from programs. */
  disallowed: number
  /** There are more than it has looked at. */
  isCut: boolean
}

interface SurveyAsked {
  url: string
  under: string
  most: number
}

/** The answer must be ready within 30 s, and the last sitemap takes up to 6 s. */
const surveyMs = 14_000
const mostSitemaps = 10
const mostChars = 400_000
const maxAgeMs = 3_600_000
const atATime = 100

type Refuse = (code: PageRefusal, message: string) => never

export async function survey(asked: SurveyAsked, tools: Tools, refuse: Refuse): Promise<Survey> {
  const giveUpAt = performance.now() + surveyMs
  const page = await pageOf({ url: asked.url, render: 'when thin', maxAgeMs: 300_000 }, tools, refuse)
  const { finalUrl } = page
  const manners = await mannersOf(finalUrl, tools)
  if (!(await mayRead(finalUrl, manners)))
    refuse(
      'robots_disallowed',
      `The robots.txt of ${new URL(finalUrl).hostname} keeps this page from programs`,
    )
  const lists = await sitemapsOf(finalUrl, manners, tools, giveUpAt)
  const links = await tools.find(linksLookup, page)
  const own = addressIn(finalUrl)
  const found = [
    ...(own === undefined ? [] : [{ url: own, lastmod: null, from: 'page' as const }]),
    ...lists.pages.map(each => ({ ...each, from: 'sitemap' as const })),
    ...(!links || isUnreadable(links) ? [] : links).map(url => ({
      url,
      lastmod: null,
      from: 'page' as const,
    })),
  ]
  const kept = await allowed(found, { ...asked, site: siteOf(finalUrl), manners, giveUpAt })
  return { page, manners, sitemaps: lists.read, ...kept, isCut: kept.isCut || lists.isCut }
}

interface Keeping extends Omit<SurveyAsked, 'url'> {
  site: string
  manners: Manners
  giveUpAt: number
}

/** Each page once, of this site, and with the leave of its robots.txt. */
async function allowed(found: readonly KnownPage[], { site, under, most, manners, giveUpAt }: Keeping) {
  const known = new Map<string, KnownPage>()
  let disallowed = 0
  let chars = 0
  for (const [i, each] of found.entries()) {
    if (i % atATime === 0) await turn()
    if (siteOf(each.url) !== site || !isUnder(each.url, under)) continue
    const key = pageKey(each.url)
    if (known.has(key)) continue
    if (!(await mayRead(each.url, manners))) {
      disallowed += 1
      continue
    }
    chars += each.url.length
    if (known.size >= most || chars > mostChars || performance.now() > giveUpAt + surveyMs / 2)
      return { known: [...known.values()], disallowed, isCut: true }
    known.set(key, each)
  }
  return { known: [...known.values()], disallowed, isCut: false }
}

/** Those that robots.txt names, or else the one that is usual. */
async function sitemapsOf(url: string, { file }: Manners, tools: Tools, giveUpAt: number) {
  const named = file ? (await listIn(file, tools))?.lists : undefined
  const usual = new URL('/sitemap.xml', url).href
  const due = named?.length ? [...named] : [usual]
  const read: ReadSitemap[] = []
  const pages: { url: string; lastmod: string | null }[] = []
  const seen = new Set<string>()
  let isCut = false
  for (const list of due) {
    if (seen.has(list)) continue
    if (read.length >= mostSitemaps || performance.now() > giveUpAt) {
      isCut = true
      break
    }
    seen.add(list)
    const listed = await listAt(list, tools)
    if ('error' in listed) {
      // Nobody has promised a sitemap at the usual place.
      if (named?.length || list !== usual || listed.error !== 'page_refused')
        read.push({ url: list, entries: 0, error: listed.error })
      continue
    }
    read.push({ url: list, entries: listed.pages.length + listed.lists.length, error: null })
    due.push(...listed.lists)
    pages.push(...listed.pages)
    isCut ||= listed.isCut
  }
  return { read, pages, isCut }
}

async function listAt(url: string, tools: Tools) {
  try {
    const found = await tools.find(pageLookup, { url, render: 'never', kind: 'sitemap', maxAgeMs })
    if (!found || !isPage(found)) return { error: found?.refusal ?? 'page_fetch_failed' }
    return (await listIn(found, tools)) ?? { error: 'page_too_large' }
  } catch (error) {
    const reason = whyNoPage(error)
    if (reason === undefined) throw error
    return { error: reason }
  }
}

async function listIn(page: Page, { find }: Tools) {
  const listed = await find(sitemapLookup, page)
  return listed && !isUnreadable(listed) ? listed : undefined
}
