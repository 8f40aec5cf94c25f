/** A question about a public page, the page itself, and the ways to end without one. */

export interface PageAsked {
  url: string
  /**
   * `never`: the page as its server sends it. `always`: the page as a browser shows it. `when thin`: as a browser
   * shows it, but only if the server's page has little text without its scripts.
   */
  render: 'never' | 'when thin' | 'always'
  /**
   * The greatest age of a page that still answers. With 0 a new page is fetched, and callers of the same moment share
   * it.
   */
  maxAgeMs: number
  /** The answer comes from a fetch that no other caller shares. If absent, false. */
  own?: boolean
  /**
   * The wanted kind of document; any other ends as `not_a_page`. `sitemap`: any list for programs, also a packed one; of a
   * long one only the beginning comes. If absent, `page`: HTML or plain text.
   */
  kind?: 'page' | 'pdf' | 'sitemap'
  /** Any status is a page. If absent, 4xx and 5xx end as a refusal. */
  anyStatus?: boolean
  /** The caller wants a picture. Only rendered pages have one. */
  picture?: boolean
  /** The quality of the picture falls until it has this size. If absent, 600,000. */
  mostPictureBytes?: number
  /** How the page is shown and pictured. If absent, a JPEG of 1280 by 800. */
  shot?: Shot
  /** The wait between the end of loading and the picture. If absent, 0. */
  waitMs?: number
  /** The caller wants the server's certificates. Only rendered pages have them. */
  certificates?: boolean
}

/** Another look of a page than the usual one. Questions about two looks never share a page. */
export interface Shot {
  format: 'jpeg' | 'png' | 'webp'
  /** The size of the window, in CSS pixels. */
  width: number
  height: number
  /** Pixels of the picture for each CSS pixel. */
  scale: number
  phone: boolean
  dark: boolean
  fullPage: boolean
  /** The one element that is pictured. */
  selector: string | null
  /** The element without which the page is not ready. */
  waitFor: string | null
  /** Hides banners that ask for consent, without an answer to them. */
  hideBanners: boolean
}

/** The name of a look. The usual one has none. */
export const shotName = (shot: Shot | undefined): string => (shot ? JSON.stringify(shot) : '')

/** The picture that was taken. */
export interface Pictured {
  /** In pixels of the picture. */
  width: number
  height: number
  /** The page goes on below it. */
  isCut: boolean
  bannersHidden: number
  /** Why there is no picture. */
  problem: 'no_such_element' | 'invalid_selector' | 'picture_too_large' | null
}

export interface Page {
  /** The URL of the question in its normal form, without the part after #. */
  url: string
  finalUrl: string
  /** Every redirect before the final URL, in order. */
  redirects: readonly { url: string; status: number }[]
  status: number
  /** Headers of the final answer, their names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Such as `text/html`, by the header and by the first bytes. */
  contentType: string
  /** The charset of the header, in lower case. */
  charset: string | undefined
  /** The body as the server sent it, unpacked and still in the server's charset: see `textOf`. */
  bytes: Buffer
  /** What only a browser knows. Undefined if no browser was needed. */
  rendered: Rendered | undefined
  /** The IP address and the port of the final URL. */
  address: string
  port: number
  /** When the first request left, and when the page was complete, in ms. */
  requestedAt: number
  fetchedAt: number
  /** Whether it was fetched for an earlier question. */
  cached: boolean
  /** The age of the page in this answer. */
  ageMs: number
}

export interface Rendered {
  title: string
  /** The visible text: `innerText` of the page. */
  text: string
  /** The text with marks around what is raised or lowered. Empty if nothing is. */
  marked: string
  /** The document after its scripts have run, as HTML. */
  html: string
  /** `lang` of the document. */
  lang: string | null
  /** A JPEG of 1280 by 800, or what `shot` asked for. */
  picture: Buffer | undefined
  /** Undefined for the usual look. */
  pictured?: Pictured | undefined
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
  /** DER, the leaf first. Empty if the caller wanted none. */
  certificates: readonly Buffer[]
}

/** The refusals of a question about a page. Every operation that shows pages declares them: see services/offer/pages.ts. */
export type PageRefusal =
  | 'invalid_url'
  | 'page_fetch_failed'
  | 'page_refused'
  | 'blocked_by_site'
  | 'too_many_redirects'
  | 'page_too_large'
  | 'robots_disallowed'
  | 'not_a_page'

/** The message is for the caller. It names at most the host. */
export interface NoPage {
  refusal: PageRefusal
  message: string
  /** The type of a document that is not a page. */
  contentType?: string
  /** Whether a browser tried it. */
  rendered?: true
}

/** Rejects with NotReady if it needs a browser and cannot get one, and with Busy if too many pages wait. */
export type FindPage = (asked: PageAsked) => Promise<Page | NoPage>

/** Documents that contain text for a reader. */
export const isReadable = (contentType: string): boolean =>
  /^(text\/(html|plain|markdown|xml)|application\/(xhtml\+xml|xml|json)|.*\+xml)$/.test(contentType) &&
  contentType !== 'image/svg+xml'

export const isPage = (found: Page | NoPage): found is Page => !('refusal' in found)
