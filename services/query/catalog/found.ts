/** The files that crawlers, agents and security reporters look for at fixed addresses. */
import type { OpenOrigin, ServedPage } from '../../offer/origin.ts'
import { docsPath } from '../face/text.ts'
import { type CatalogOptions, offeredBy, urlOf } from './offered.ts'

/** Links every answer to the forms that programs read (RFC 8288). */
export const links = [
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</llms.txt>; rel="service-doc"; type="text/plain"',
  '</.well-known/mcp.json>; rel="related"; type="application/json"',
].join(', ')

export const robots = (origins: readonly OpenOrigin[]): string =>
  `User-agent: *\nAllow: /\n\nSitemap: ${urlOf(origins)}/sitemap.xml\n`

/** `pages` are the pages that every host shows. */
export function sitemap(origins: readonly OpenOrigin[], pages: readonly ServedPage[]): string {
  const paths = [
    '/',
    '/docs',
    ...[...pages, ...origins.flatMap(origin => origin.pages)].flatMap(({ path, isForPeople, places }) =>
      isForPeople ? path : (places?.() ?? []),
    ),
    ...offeredBy(origins).map(({ path }) => docsPath(path)),
  ]
  const urls = paths.map(path => `<url><loc>${urlOf(origins)}${path}</loc></url>`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`
}

const validDays = 180

/** RFC 9116. It is written anew for each request, because it may not be old. */
export const securityText = (origins: readonly OpenOrigin[], { contact }: CatalogOptions): string =>
  `Contact: ${contact.includes('@') ? 'mailto:' : ''}${contact}
Expires: ${new Date(Date.now() + validDays * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z
Preferred-Languages: en
Canonical: ${urlOf(origins)}/.well-known/security.txt
`
