/** Explains why a page in the browser failed. */
import { hostOf } from '../fetching/address.ts'
import { challengeIn, challengeOf } from '../pages/challenge.ts'
import { isReadable, type NoPage, type PageAsked } from '../pages/page.ts'
import { noPageOf, whyFailed } from '../pages/refusals.ts'
import { type Document, typeOf } from './document.ts'
import type { Gate } from './gate.ts'
import type { Watch } from './watch.ts'

/** A refusal need not wait until the page is stable. */
export const early = (
  { document }: Watch,
  asked: Pick<PageAsked, 'anyStatus'>,
  gate: Gate,
): NoPage | undefined => document?.body && refusedBy(document, asked, gate)

/** Over plain HTTP the refusal of the gate looks like an answer of the site. */
export function refusedBy(
  document: Document,
  asked: Pick<PageAsked, 'anyStatus'>,
  gate: Gate,
): NoPage | undefined {
  const failure = gate.failureOf(hostOf(new URL(document.url)))
  if (failure && document.status === 502) return whyFailed(failure)
  const { headers, status, body } = document
  const challenge = challengeOf(headers, status) ?? (body && challengeIn(body.toString('latin1')))
  return noPageOf({ ...document, asked, challenge, contentType: typeOf(document).essence })
}

/** The browser says little about its failure. The gate knows more. */
export function whyNot(errorText: string, { document }: Watch, gate: Gate, asked: string): NoPage {
  const url = new URL(document?.url ?? asked)
  const failure = gate.failureOf(hostOf(url))
  if (failure) return whyFailed(failure)
  if (gate.isOverdrawn)
    return { refusal: 'page_too_large', message: 'The page fetches more than it may: 20 MB' }
  const code = errorText.replace('net::ERR_', '').toLowerCase()
  const told = (refusal: NoPage['refusal'], message: string): NoPage => ({ refusal, message })
  if (/^(cert_|ssl_)/.test(code))
    return told('page_fetch_failed', `${url.hostname} cannot be trusted: ${code}`)
  if (code === 'too_many_redirects') return told('too_many_redirects', `${url.hostname} redirects too often`)
  if (/^(unsafe_redirect|unsafe_port|unknown_url_scheme|disallowed_url_scheme)$/.test(code))
    return told('invalid_url', `${url.hostname} redirects to a forbidden address`)
  if (code === 'aborted' && document?.status && !isReadable(typeOf(document).essence))
    return refusedBy(document, {}, gate) as NoPage
  if (code === 'aborted') return told('not_a_page', `${url.hostname} sends a file, and no page`)
  return told('page_fetch_failed', `${url.hostname} could not be fetched: ${code}`)
}
