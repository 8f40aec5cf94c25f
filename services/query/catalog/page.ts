/** The catalog as a page for people. */
import type { OpenOrigin } from '../../origin.ts'
import {
  addressOf,
  type CatalogOptions,
  fee,
  limitsOf,
  type Offered,
  offeredBy,
  titlesOf,
} from './offered.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, character => escapes[character] as string)

/** Quotes text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curl = (offered: Offered): string =>
  offered.method === 'GET'
    ? `curl ${quoted(addressOf(offered))}`
    : `curl -i -X POST ${addressOf(offered)} \\
  -H 'content-type: application/json' -d ${quoted(JSON.stringify(offered.example.request))}`

export const page = (origins: readonly OpenOrigin[], options: CatalogOptions): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farebox: ${escaped(titlesOf(origins))}</title>
<meta name="description" content="Ask, pay in USDC over x402, get the answer and a receipt. No account, no key.">
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<style>
  :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent) }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
  h1 { font-size: 1.6rem; margin: 0 } h1 + p { margin-top: .2rem }
  article { border-top: 1px solid var(--line); padding: 1rem 0 }
  h2 { font-size: 1.05rem; margin: 0; display: flex; justify-content: space-between; gap: 1rem }
  code, pre { font: .875rem/1.45 ui-monospace, monospace } pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 6px }
  small { opacity: .75 }
</style>
<h1>Farebox</h1>
<p>${escaped(titlesOf(origins))}. No account, no key: each call is paid in USDC on ${escaped(options.paidOn)} through <a href="https://www.x402.org">x402</a>. A call that fails is never charged.</p>
${offeredBy(origins).map(article).join('\n')}
<p><small>${escaped(limitsOf(options))}</small></p>
<p><a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a> · <a href="/health">health</a> · <a href="${options.contact.includes('@') ? 'mailto:' : ''}${escaped(options.contact)}">contact</a></p>
${credits(origins)}
</html>
`

const article = (offered: Offered): string => `<article>
<h2><span>${escaped(offered.title)}</span> <span>${fee(offered)}</span></h2>
<p>${escaped(offered.about)}</p>
<pre>${escaped(curl(offered))}</pre>
${refusedFree(offered)}</article>`

/** Names, once each, the sources whose terms demand it. */
const credits = (origins: readonly OpenOrigin[]): string => {
  const links = offeredBy(origins)
    .flatMap(({ attribution }) => attribution ?? [])
    .map(({ text, url }) => `<p><small><a href="${escaped(url)}">${escaped(text)}</a></small></p>`)
  return [...new Set(links)].join('\n')
}

const refusedFree = ({ refusals }: Offered): string =>
  Object.keys(refusals).length
    ? `<p><small>Free refusals: ${Object.entries(refusals)
        .map(([code, { about }]) => `<code>${code}</code> (${escaped(about)})`)
        .join(', ')}</small></p>\n`
    : ''

/** It shows a coin slot. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5"/><rect x="14" y="7" width="4" height="18" rx="2" fill="#fff"/></svg>'
