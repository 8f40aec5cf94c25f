/** What every page for people shares. Nothing in it is from elsewhere, and nothing in it runs. */
import { createHash } from 'node:crypto'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, character => escapes[character] as string)

export const docsPath = (path: string): string => `/docs${path}`

const style = `
:root { color-scheme: light dark; --line: #8886; --quiet: light-dark(#555, #b5b5b5); --link: light-dark(#06c, #7ab8ff); --good: light-dark(#0a7a3d, #4ccb85); --bad: light-dark(#b3261e, #ff8a80) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#111, #eee); background: light-dark(#fff, #111) }
a { color: var(--link) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: 1.5rem }
h1 { font-size: 1.6rem; margin: 0 } h1 + p { margin-top: .2rem }
article { border-top: 1px solid var(--line); padding: 1rem 0 }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .25rem } article h2 { margin: 0; display: flex; justify-content: space-between; gap: 1rem }
code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 6px }
div.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .9375rem } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) } td.number { white-space: nowrap } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
small, .quiet { color: var(--quiet) } .good { color: var(--good) } .bad { color: var(--bad) }
svg .bar { fill: var(--good) } svg .gap { fill: var(--bad) } svg .none { fill: var(--line) }
footer { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; color: var(--quiet) }
`

const styleHash = createHash('sha256').update(style).digest('base64')
/** The one style is known by its hash; nothing else may be loaded, run, framed or sent. */
export const pageHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

export interface Shown {
  title: string
  about: string
  /** HTML. */
  body: string
  contact: string
}

const link = (path: string, text: string) => `<a href="${path}">${text}</a>`

export const layout = ({ title, about, body, contact }: Shown): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(about)}">
<meta property="og:title" content="${escaped(title)}">
<meta property="og:description" content="${escaped(about)}">
<meta property="og:image" content="/favicon.ico">
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="service-desc" href="/openapi.json" type="application/json">
<link rel="alternate" href="/llms.txt" type="text/plain">
<style>${style}</style>
</head>
<body>
<header><nav aria-label="Pages">${[
  link('/', 'Farebox'),
  link('/market', 'Market'),
  link('/status', 'Status'),
  link('/openapi.json', 'OpenAPI'),
  link('/llms.txt', 'llms.txt'),
].join('')}</nav></header>
<main>
${body}
</main>
<footer><p>A call that fails is never charged. ${link(`${contact.includes('@') ? 'mailto:' : ''}${escaped(contact)}`, 'Contact')}</p></footer>
</body>
</html>
`
