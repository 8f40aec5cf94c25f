/** The address that a page claims for itself, and the place where it sends its reader. */
import type { Markup } from './markup.ts'

export interface Links {
  canonical: string | undefined
  /** The page to which the reader is sent at once. */
  refresh: string | undefined
}

export function linksOf({ elements }: Markup, base: URL): Links {
  const canonical = elements.find(({ name, attributes }) => name === 'link' && attributes.rel === 'canonical')
  const refresh = elements.find(
    ({ name, attributes }) => name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'refresh',
  )
  return {
    canonical: linkTo(canonical?.attributes.href, base),
    refresh: refreshIn(refresh?.attributes.content, base),
  }
}

/** A longer address could not be visited. */
const longest = 2_048

const linkTo = (href: string | undefined, base: URL): string | undefined =>
  href && href.length <= longest ? URL.parse(href, base)?.href : undefined

/** A refresh within the first seconds is a redirect. A refresh of the page itself only renews it. */
function refreshIn(content: string | undefined, base: URL): string | undefined {
  const [, seconds, target] =
    /^\s*(\d+)[.\d]*\s*[;,]\s*(?:url\s*=\s*)?['"]?([^'"]+)/i.exec(content ?? '') ?? []
  const link = target !== undefined && Number(seconds) <= 5 ? linkTo(target.trim(), base) : undefined
  return link === base.href ? undefined : link
}
