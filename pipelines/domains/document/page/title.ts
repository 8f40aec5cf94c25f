/** The title and the language that a page declares. */

import type { DomDocument } from './dom.ts'

const longest = 500

export function titleOf(document: DomDocument): string {
  const meta = document.querySelector('meta[property="og:title"]')?.getAttribute('content')
  const written = document.querySelector('title')?.textContent
  const heading = document.querySelector('h1')?.textContent
  const candidates = [written, meta, heading].map(text => (text ?? '').replace(/\s+/g, ' ').trim())
  return (candidates.find(Boolean) ?? '').slice(0, longest)
}

export function langOf(document: DomDocument): string | null {
  const declared =
    document.documentElement.getAttribute('lang') ??
    document.querySelector('meta[http-equiv="content-language"]')?.getAttribute('content')
  const tag = declared?.trim().slice(0, 35) ?? ''
  return /^[a-z]{2,3}(?:[-_][a-z0-9]+)*$/i.test(tag) ? tag.replace(/_/g, '-') : null
}
