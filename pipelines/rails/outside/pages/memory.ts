/** The pages that this process has fetched most recently, bounded in bytes. */
import { Bounded } from '../../bounded.ts'
import type { Fresh } from '../browser/render.ts'
import { type PageAsked, shotName } from './page.ts'

export interface PageSeen {
  page: Fresh
  /** Whether the page has little text without its scripts. False for every rendered page. */
  isThin: boolean
  /** The wait in the question. */
  waitMs: number
  kind: NonNullable<PageAsked['kind']>
  /** The name of the look in the question. If absent, the usual one. */
  shot?: string
}

const mostOfOne = 4
const mostPages = 50_000

export class PageMemory {
  readonly #pages: Bounded<readonly PageSeen[]>

  constructor(mostBytes: number) {
    this.#pages = new Bounded({ most: mostPages, mostWeight: mostBytes, weigh: total })
  }

  get bytes(): number {
    return this.#pages.weight
  }

  /** Finds the newest page that answers the question. */
  find(asked: PageAsked, since: number): Fresh | undefined {
    const seen = this.#pages.ask(asked.url)
    return seen?.find(one => one.page.fetchedAt >= since && answers(one, asked))?.page
  }

  add(seen: PageSeen): void {
    const { url } = seen.page
    this.#pages.set(url, [seen, ...(this.#pages.peek(url) ?? [])].slice(0, mostOfOne))
  }
}

function answers({ page, isThin, waitMs, kind, shot = '' }: PageSeen, asked: PageAsked): boolean {
  const { rendered, status } = page
  if (kind !== (asked.kind ?? 'page') || (status >= 400 && !asked.anyStatus)) return false
  if (shot !== shotName(asked.shot)) return false
  if (asked.render === 'always' && !rendered) return false
  if (asked.render === 'when thin' && isThin) return false
  if (asked.picture && (!rendered?.picture || waitMs !== (asked.waitMs ?? 0))) return false
  return !asked.certificates || rendered?.tls === null || Boolean(rendered?.tls?.certificates.length)
}

const total = (seen: readonly PageSeen[]): number => seen.reduce((sum, { page }) => sum + sizeOf(page), 0)

/** Each character of a text takes two bytes. */
const sizeOf = ({ bytes, rendered }: Fresh): number =>
  bytes.length +
  2 * ((rendered?.text.length ?? 0) + (rendered?.marked.length ?? 0) + (rendered?.html.length ?? 0)) +
  (rendered?.picture?.length ?? 0) +
  2_000
