/** What a search finds, whichever upstream was asked. */
import { decodeHTMLStrict } from 'entities/decode'

export interface SearchAsked {
  query: string
  /** At most as many results. */
  num: number
  /** Two letters, lower case. */
  country?: string | undefined
}

export interface SearchResult {
  position: number
  title: string
  url: string
  snippet: string
  /** YYYY-MM-DD. */
  date: string | null
}

export interface AnswerBox {
  title: string | null
  answer: string | null
  snippet: string | null
  url: string | null
}

export interface SearchHit {
  results: SearchResult[]
  answerBox: AnswerBox | null
  /** The upstream, as an answer credits it. */
  source: string
}

/** How an upstream is asked, and how its answer is read. */
export interface SearchApi {
  credit: string
  /** Where it is, if SEARCH_URL does not say so. Absent: SEARCH_URL must. */
  live?: string
  request(asked: SearchAsked, token: string | undefined): SearchRequest
  /** `now` turns "2 days ago" into a day. Rejects with UpstreamFailed if the body is not an answer. */
  read(body: string, from: string, now: number): Omit<SearchHit, 'source'>
}

interface SearchRequest {
  path: string
  headers: Record<string, string>
  /** Is sent as JSON. Absent: a GET. */
  body?: unknown
}

/** Without markup and white space, and with nothing that is not an address of the web. */
export function resultsOf(
  found: readonly {
    title?: string | undefined
    url?: string | undefined
    snippet?: string | undefined
    date: string | null
  }[],
): SearchResult[] {
  const seen = new Set<string>()
  const results: SearchResult[] = []
  for (const { title, url = '', snippet, date } of found) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url) || seen.has(url)) continue
    seen.add(url)
    results.push({
      position: results.length + 1,
      title: plain(title) || url,
      url,
      snippet: plain(snippet),
      date,
    })
  }
  return results
}

/** Upstreams mark the words of the query with tags. */
export const plain = (text = ''): string =>
  decodeHTMLStrict(text.replace(/<\/?(?:strong|em|b|i|mark|br|span)\b[^<>]*>/gi, ''))
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()
