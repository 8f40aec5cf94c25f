/** The pages that this process has seen last, in a bounded number of bytes. */
import type { PageAsked } from '../web/page.ts'
import type { Fresh } from '../web/render.ts'

export interface Seen {
  page: Fresh
  /** Whether it says little without its scripts. False for every page that has been rendered. */
  isThin: boolean
  /** As it was asked for. */
  waitMs: number
  kind: NonNullable<PageAsked['kind']>
}

const mostOfOne = 4

export class PageMemory {
  readonly #pages = new Map<string, Seen[]>()
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The newest that answers the question. */
  find(asked: PageAsked, since: number): Fresh | undefined {
    const seen = this.#pages.get(asked.url)
    if (!seen) return undefined
    this.#pages.delete(asked.url)
    this.#pages.set(asked.url, seen)
    return seen.find(one => one.page.fetchedAt >= since && answers(one, asked))?.page
  }

  add(seen: Seen): void {
    const { url } = seen.page
    const before = this.#pages.get(url) ?? []
    const after = [seen, ...before].slice(0, mostOfOne)
    this.#bytes += total(after) - total(before)
    this.#pages.delete(url)
    this.#pages.set(url, after)
    for (const [oldest, dropped] of this.#pages) {
      if (this.#bytes <= this.#mostBytes) break
      this.#pages.delete(oldest)
      this.#bytes -= total(dropped)
    }
  }
}

function answers({ page, isThin, waitMs, kind }: Seen, asked: PageAsked): boolean {
  const { rendered, status } = page
  if (kind !== (asked.kind ?? 'page') || (status >= 400 && !asked.anyStatus)) return false
  if (asked.render === 'always' && !rendered) return false
  if (asked.render === 'when thin' && isThin) return false
  if (asked.picture && (!rendered?.picture || waitMs !== (asked.waitMs ?? 0))) return false
  return !asked.certificates || rendered?.tls === null || Boolean(rendered?.tls?.certificates.length)
}

const total = (seen: readonly Seen[]): number => seen.reduce((sum, { page }) => sum + sizeOf(page), 0)

/** A letter of a text takes two bytes. */
const sizeOf = ({ bytes, rendered }: Fresh): number =>
  bytes.length +
  2 * ((rendered?.text.length ?? 0) + (rendered?.html.length ?? 0)) +
  (rendered?.picture?.length ?? 0) +
  2_000
