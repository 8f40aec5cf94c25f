/** The addresses of a site, each in one form, so that no page is met twice. */

const longest = 2048
/** Marks of campaigns: a page is the same without them. */
const forgotten = /^(?:utm_[a-z_]{1,20}|gclid|dclid|fbclid|msclkid|mc_cid|mc_eid|igshid)$/i
/** Files that nobody reads as a page. */
const assets =
  /\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp|css|js|mjs|map|json|wasm|eot|otf|ttf|woff2?|aac|avi|flac|m4[av]|mkv|mov|mp[34]|mpe?g|og[agv]|wav|webm|7z|bz2|dmg|exe|gz|iso|jar|rar|rpm|deb|tar|tgz|xz|zip|xml|rss|atom)$/i

/** Undefined if it can be no page of the public web. */
export function addressIn(text: string, base?: string): string | undefined {
  const url = text.length > longest ? null : URL.parse(text.trim(), base)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return undefined
  if (assets.test(url.pathname)) return undefined
  url.hash = ''
  for (const name of [...url.searchParams.keys()]) if (forgotten.test(name)) url.searchParams.delete(name)
  return url.href.length > longest ? undefined : url.href
}

/** The site that an address belongs to: its host, whatever the scheme, and with or without www. */
export const siteOf = (url: string): string => new URL(url).hostname.replace(/^www\./, '')

/** Two addresses with one key are one page. */
export function pageKey(url: string): string {
  const { pathname, search } = new URL(url)
  return `${siteOf(url)}${pathname.endsWith('/') ? pathname.slice(0, -1) : pathname}${search}`
}

export const isUnder = (url: string, path: string): boolean => new URL(url).pathname.startsWith(path)
