/** What a crawl has met, has read and still has to read. It is plain data, so that it outlives its process. */
import { Tally } from '../../../rails/tally.ts'
import { isUnder, pageKey, siteOf } from './addresses.ts'

interface CrawledPage {
  url: string
  /** The blob with its line of the result. */
  blob: string
  bytes: number
  /** The hash of its text. */
  sha256: string
}

interface LostPage {
  url: string
  error: string
}

interface Due {
  url: string
  /** How often it was tried. */
  tries: number
}

export interface CrawlProgress {
  due: Due[]
  /** The keys of all pages that it has met. */
  met: string[]
  read: CrawledPage[]
  lost: LostPage[]
  duplicates: number
  asked: number
  lostInARow: number
}

interface CrawlScope {
  url: string
  under: string
  most: number
}

/** No site, however large or endless, costs more than this. */
export const crawlBounds = {
  /** Addresses that are met, for each page that was paid for. */
  metForEach: 10,
  metChars: 600_000,
  /** Pages of one path that differ in their query alone: a calendar has no end. */
  ofPath: 25,
  tries: 3,
  lostInARow: 20,
  /** Pages that are asked for, for each that was paid for. */
  askedForEach: 3,
  resultBytes: 16 << 20,
}

export class Frontier {
  readonly #scope: CrawlScope
  readonly #progress: CrawlProgress
  readonly #met: Set<string>
  readonly #ofPath = new Tally()
  readonly #texts: Set<string>
  #chars = 0
  #bytes = 0

  constructor(scope: CrawlScope, progress?: CrawlProgress) {
    this.#scope = scope
    this.#progress = progress ?? {
      ...{ due: [], met: [], read: [], lost: [], duplicates: 0, asked: 0, lostInARow: 0 },
    }
    this.#met = new Set(this.#progress.met)
    for (const key of this.#met) this.#count(key)
    this.#texts = new Set(this.#progress.read.map(({ sha256 }) => sha256))
    this.#bytes = this.#progress.read.reduce((sum, { bytes }) => sum + bytes, 0)
    if (!progress) this.#add(scope.url)
  }

  meet(urls: readonly string[]): void {
    const { url: seed, under } = this.#scope
    for (const url of urls) if (siteOf(url) === siteOf(seed) && isUnder(url, under)) this.#add(url)
  }

  /** Returns why it reads no further page. */
  get end(): 'all_read' | 'no_more_pages' | 'site_fails' | 'too_much_text' | undefined {
    const { due, read, asked, lostInARow } = this.#progress
    const { most } = this.#scope
    if (read.length >= most) return 'all_read'
    if (!due.length) return 'no_more_pages'
    if (this.#bytes >= crawlBounds.resultBytes) return 'too_much_text'
    const isInVain = asked >= crawlBounds.askedForEach * most + crawlBounds.lostInARow
    return isInVain || lostInARow >= crawlBounds.lostInARow ? 'site_fails' : undefined
  }

  next(): Due | undefined {
    const due = this.#progress.due.shift()
    if (due) this.#progress.asked += 1
    return due
  }

  /** Whether another page says the same. */
  isDuplicate(sha256: string): boolean {
    return this.#texts.has(sha256)
  }

  take(page: CrawledPage): void {
    this.#progress.lostInARow = 0
    this.#progress.read.push(page)
    this.#texts.add(page.sha256)
    this.#bytes += page.bytes
  }

  skip(): void {
    this.#progress.lostInARow = 0
    this.#progress.duplicates += 1
  }

  /** A page that may come later is tried again after the others. */
  lose({ url, tries }: Due, error: string, mayCome: boolean): void {
    const { due, lost } = this.#progress
    this.#progress.lostInARow += 1
    if (mayCome && tries + 1 < crawlBounds.tries) due.push({ url, tries: tries + 1 })
    else lost.push({ url, error })
  }

  get counts() {
    const { read, lost, duplicates } = this.#progress
    return {
      pages_read: read.length,
      pages_failed: lost.length,
      duplicates,
      pages_known: this.#met.size,
    }
  }

  get progress(): CrawlProgress {
    return { ...this.#progress, met: [...this.#met] }
  }

  #add(url: string): void {
    const key = pageKey(url)
    const { metForEach, metChars, ofPath } = crawlBounds
    if (this.#met.has(key) || this.#met.size >= metForEach * this.#scope.most || this.#chars > metChars)
      return
    if (this.#ofPath.of(pathOf(key)) >= ofPath || /\.pdf$/i.test(new URL(url).pathname)) return
    this.#met.add(key)
    this.#count(key)
    this.#progress.due.push({ url, tries: 0 })
  }

  #count(key: string): void {
    this.#chars += key.length
    this.#ofPath.add(pathOf(key))
  }
}

const pathOf = (key: string): string => key.split('?', 1)[0] ?? key
