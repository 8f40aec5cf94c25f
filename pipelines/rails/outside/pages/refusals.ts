/** Chooses the refusal for an answer of a site, or for a failed visit. */
import { NotPublic, type VisitFailed } from '../fetching/visit-failures.ts'
import { isReadable, type NoPage, type PageAsked } from './page.ts'

export function whyFailed(failure: NotPublic | VisitFailed): NoPage {
  const { message } = failure
  if (failure instanceof NotPublic) return { refusal: 'invalid_url', message }
  if (failure.reason === 'too_many_redirects' || failure.reason === 'too_large')
    return { refusal: failure.reason === 'too_large' ? 'page_too_large' : 'too_many_redirects', message }
  if (failure.reason === 'unexpected_type') return { refusal: 'not_a_page', message }
  return { refusal: 'page_fetch_failed', message }
}

interface Answered {
  url: string
  status: number
  headers: Readonly<Record<string, string>>
  contentType: string
  /** The sender of a challenge that came in place of the page. */
  challenge: string | undefined
  asked: Pick<PageAsked, 'anyStatus' | 'kind'>
}

/** Undefined if the answer is the wanted page. */
export function noPageOf({
  url,
  status,
  headers,
  contentType,
  challenge,
  asked,
}: Answered): NoPage | undefined {
  const { hostname } = new URL(url)
  if (!asked.anyStatus) {
    if (challenge)
      return {
        refusal: 'blocked_by_site',
        message: `${hostname} sends a challenge in place of the page: ${challenge}`,
      }
    if (status >= 500) return { refusal: 'page_fetch_failed', message: `${hostname} answers ${status}` }
    if (status < 200 || status >= 300) {
      const wait = headers['retry-after'] ? `, and asks to wait: ${headers['retry-after'].slice(0, 40)}` : ''
      return { refusal: 'page_refused', message: `${hostname} answers ${status}${wait}` }
    }
  }
  const isPacked = asked.kind === 'sitemap' && contentType === 'application/gzip'
  const wanted =
    asked.kind === 'pdf' ? contentType === 'application/pdf' : isReadable(contentType) || isPacked
  if (wanted) return undefined
  const hint = contentType === 'application/pdf' ? ': /pdf reads it' : ''
  return {
    refusal: 'not_a_page',
    message: `${hostname} sends ${contentType || 'nothing that has a type'}${hint}`,
    contentType,
  }
}
