/** Finds public pages: in memory, by a visit, or in the browser of the render role. */
import type { Blobs } from '../../blobs/blobs.ts'
import type { Log } from '../../log/log.ts'
import type { Running } from '../../running.ts'
import type { Fresh } from '../browser/render.ts'
import { readPublicUrl } from '../fetching/address.ts'
import type { PublicFetch } from '../fetching/visit.ts'
import { NotPublic } from '../fetching/visit-failures.ts'
import { freshPages } from './fresh-pages.ts'
import type { HostTurnsOptions } from './host-turns.ts'
import type { Looking } from './look.ts'
import { PageMemory } from './memory.ts'
import { type FindPage, type NoPage, type Page, type PageAsked, shotName } from './page.ts'
import { politeFetch } from './polite.ts'
import { whyFailed } from './refusals.ts'
import { openRenderers } from './renderers.ts'
import { visitsOf } from './visited.ts'

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

export async function openPages(options: PagesOptions): Promise<Pages> {
  const { visits, reading, now, memoryBytes = usualMemoryBytes } = options
  const renderers = await openRenderers(options)
  const memory = new PageMemory(memoryBytes)
  const fetched = freshPages({
    visit: visitsOf({ visits, reading, now }),
    renderers,
    politely: politeFetch(options),
    now,
    onFound: ({ waitMs = 0, kind = 'page', shot }, found) =>
      memory.add({ ...found, waitMs, kind, shot: found.page.rendered ? shotName(shot) : '' }),
  })

  async function find(question: PageAsked): Promise<Page | NoPage> {
    const url = urlOf(question.url)
    if (typeof url !== 'string') return url
    const asked = { ...question, url }
    const askedAt = now()
    const kept = keptOf(asked, askedAt)
    const found = kept ? { page: kept } : await fetched(asked)
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
