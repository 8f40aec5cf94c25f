/** The pages of its own site that a page links to. */
import { parseDocument } from '../page/document.ts'
import { addressIn, siteOf } from './addresses.ts'

const mostLinks = 5_000
const mostChars = 512 << 10

/** None if the page asks programs to follow none. */
export function linksIn(html: string, url: string): string[] {
  const document = parseDocument(html)
  for (const meta of document.querySelectorAll('meta[name][content]'))
    if (
      /^robots$/i.test(meta.getAttribute('name') ?? '') &&
      /nofollow|none/i.test(meta.getAttribute('content') ?? '')
    )
      return []
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
  const site = siteOf(url)
  const found = new Set<string>()
  let chars = 0
  for (const link of document.querySelectorAll('a[href], area[href], link[rel="next"][href]')) {
    const address = addressIn(link.getAttribute('href') ?? '', base)
    if (address === undefined || siteOf(address) !== site || found.has(address)) continue
    chars += address.length
    if (found.size >= mostLinks || chars > mostChars) break
    found.add(address)
  }
  return [...found]
}
