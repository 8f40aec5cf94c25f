/** The catalog as a page for people. */
import type { OpenOrigin } from '../../offer/origin.ts'
import { docsPath, escaped, layout, prose } from './layout.ts'
import {
  addressOf,
  type CatalogOptions,
  fee,
  limitsOf,
  type Offered,
  offeredBy,
  titlesOf,
} from './offered.ts'

/** Quotes text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const curl = (offered: Offered): string =>
  offered.method === 'GET'
    ? `curl ${quoted(addressOf(offered))}`
    : `curl -i -X POST ${addressOf(offered)} \\
  -H 'content-type: application/json' -d ${quoted(JSON.stringify(offered.example.request))}`

export const page = (origins: readonly OpenOrigin[], options: CatalogOptions): string =>
  layout({
    title: `Farebox: ${titlesOf(origins)}`,
    about: 'Ask, pay in USDC over x402, get the answer and a receipt. No account, no key.',
    contact: options.contact,
    body: `<h1>Farebox</h1>
<p>${escaped(titlesOf(origins))}. No account, no key: each call is paid in USDC on ${escaped(options.paidOn)} through <a href="https://www.x402.org">x402</a>. MCP clients connect to <code>${escaped(options.mcpUrl)}</code>.</p>
${start(origins)}
${offeredBy(origins).map(article).join('\n')}
<p><small>${escaped(limitsOf(options))}</small></p>
${credits(origins)}`,
  })

/** The first call of a newcomer. */
const start = (origins: readonly OpenOrigin[]): string =>
  offeredBy(origins)
    .slice(0, 1)
    .map(first => `<p>Hear a price:</p>\n<pre tabindex="0">${escaped(curl(first))}</pre>`)
    .join('')

const article = (offered: Offered): string => `<article>
<h2><a href="${docsPath(offered.path)}">${escaped(offered.title)}</a> <span>${fee(offered)}</span></h2>
<p><code>${offered.method} ${escaped(offered.origin.url + offered.path)}</code><br>${prose(offered.about)}</p>
</article>`

/** Names, once each, the sources whose terms demand it. */
const credits = (origins: readonly OpenOrigin[]): string => {
  const links = offeredBy(origins)
    .flatMap(({ attribution }) => attribution ?? [])
    .map(({ text, url }) => `<p><small><a href="${escaped(url)}">${escaped(text)}</a></small></p>`)
  return [...new Set(links)].join('\n')
}

/** The icon shows a coin slot. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5"/><rect x="14" y="7" width="4" height="18" rx="2" fill="#fff"/></svg>'
