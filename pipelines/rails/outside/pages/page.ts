/** What can be asked about a public page, what a page is, and how it can end without one. */

export interface PageAsked {
  url: string
  /**
   * `never`: the page as its server sends it. `always`: as a browser shows it. `when thin`: a browser shows it only
   * where the server's page says little without its scripts.
   */
  render: 'never' | 'when thin' | 'always'
  /** A page of this age still answers. With 0 a new one is fetched, which callers of the same moment share. */
  maxAgeMs: number
  /** The answer is of a fetch that nobody else has a part in. Absent: false. */
  own?: boolean
  /** Which documents are wanted; any other ends as `not_a_page`. Absent: `page`, which is HTML or plain text. */
  kind?: 'page' | 'pdf'
  /** Any status is a page. Absent: 4xx and 5xx end as a refusal. */
  anyStatus?: boolean
  /** A picture is wanted. Only rendered pages have one. */
  picture?: boolean
  /** The quality of the JPEG falls until it is this small. Absent: 600,000. */
  mostPictureBytes?: number
  /** How long to wait before the picture, after the page has come to rest. Absent: 0. */
  waitMs?: number
  /** The certificates of its server are wanted. Only rendered pages have them. */
  certificates?: boolean
}

export interface Page {
  /** As asked, in its normal form, without the part after #. */
  url: string
  finalUrl: string
  /** Every redirect before the final URL, in order. */
  redirects: readonly { url: string; status: number }[]
  status: number
  /** Headers of the final answer, their names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Such as `text/html`, by the header and by the first bytes. */
  contentType: string
  /** As the header says, in lower case. */
  charset: string | undefined
  /** The body of the document as its server sent it, unpacked. In the charset of its server: see `textOf`. */
  bytes: Buffer
  /** What only a browser knows. Undefined where none was needed. */
  rendered: Rendered | undefined
  /** The IP address and the port that the final URL was dialled at. */
  address: string
  port: number
  /** When the first request left, and when the page had come to rest, in ms. */
  requestedAt: number
  fetchedAt: number
  /** Whether it was fetched for an earlier question. */
  cached: boolean
  /** How old it is in this answer. */
  ageMs: number
}

export interface Rendered {
  title: string
  /** What a reader sees: `innerText` of the page. */
  text: string
  /** The document after its scripts have run, as HTML. */
  html: string
  /** `lang` of the document. */
  lang: string | null
  /** A JPEG of 1280 by 800. */
  picture: Buffer | undefined
  /** Null over plain HTTP. */
  tls: Tls | null
  /** Such as `Chromium 153.0.8010.0`. */
  browser: string
  userAgent: string
}

export interface Tls {
  /** Such as `TLS 1.3`. */
  protocol: string
  cipher: string
  /** DER, the leaf first. Empty where none were asked for. */
  certificates: readonly Buffer[]
}

/** How a question ends without a page. Every operation that shows pages declares these: see services/offer/pages.ts. */
export type PageRefusal =
  | 'invalid_url'
  | 'page_fetch_failed'
  | 'page_refused'
  | 'blocked_by_site'
  | 'too_many_redirects'
  | 'page_too_large'
  | 'robots_disallowed'
  | 'not_a_page'

/** The message is for the caller. It names the host at most. */
export interface NoPage {
  refusal: PageRefusal
  message: string
  /** The type of what was there in place of a page. */
  contentType?: string
  /** Whether a browser worked on it. */
  rendered?: true
}

/** Rejects with NotReady where a browser is needed and none can be had, and with Busy where too many wait. */
export type FindPage = (asked: PageAsked) => Promise<Page | NoPage>

/** Documents that have text for a reader. */
export const isReadable = (contentType: string): boolean =>
  /^(text\/(html|plain|markdown|xml)|application\/(xhtml\+xml|xml|json)|.*\+xml)$/.test(contentType) &&
  contentType !== 'image/svg+xml'

export const isPage = (found: Page | NoPage): found is Page => !('refusal' in found)
