/** The layout that all pages for people share. It loads nothing from elsewhere, and only our own scripts run in it. */
import { createHash } from 'node:crypto'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, character => escapes[character] as string)

/** Text of a declaration, which marks names with backticks. */
export const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export const docsPath = (path: string): string => `/docs${path}`

const style = `
:root { color-scheme: light dark; --line: #8886; --quiet: light-dark(#555, #b5b5b5); --link: light-dark(#06c, #7ab8ff); --good: light-dark(#0a7a3d, #4ccb85); --bad: light-dark(#b3261e, #ff8a80) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#111, #eee); background: light-dark(#fff, #111) }
a { color: var(--link) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: 1.5rem }
nav [aria-current], dt [aria-current] { font-weight: bold }
h1 { font-size: 1.6rem; margin: 0 } h1 + p { margin-top: .2rem }
article { border-top: 1px solid var(--line); padding: 1rem 0 }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .25rem } h3 { font-size: 1rem; margin: 1rem 0 .25rem } article h2 { margin: 0; display: flex; justify-content: space-between; gap: 1rem }
code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 6px }
p, li, dd, td { overflow-wrap: anywhere } div.wide { overflow-x: auto } div.wide td { overflow-wrap: normal }
table { border-collapse: collapse; width: 100%; font-size: .9375rem } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) } td.number { white-space: nowrap } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
details { border-top: 1px solid var(--line) } summary { padding: .5rem 0; cursor: pointer }
section { border: 1px solid var(--line); border-radius: 6px; padding: 0 1rem .5rem; margin: 1.5rem 0 } section h2 { margin-top: 1rem }
textarea { box-sizing: border-box; display: block; width: 100%; margin-top: .25rem; padding: .5rem; font: .875rem/1.45 ui-monospace, monospace }
textarea, select, button { color: inherit; background: light-dark(#fff, #1c1c1c); border: 1px solid light-dark(#767676, #8f8f8f); border-radius: 6px } select, button { font: inherit; padding: .35rem .75rem }
button { background: light-dark(#06c, #2a6fb8); border-color: transparent; color: #fff; cursor: pointer } button:disabled { opacity: .5; cursor: default }
ol pre { max-height: 24rem; overflow: auto } ol:empty { display: none }
dt { margin-top: .5rem } dd { margin-left: 1.5rem }
small, .quiet { color: var(--quiet) } .good { color: var(--good) } .bad { color: var(--bad) }
svg .bar { fill: var(--good) } svg .gap { fill: var(--bad) } svg .none { fill: var(--line) }
footer { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; color: var(--quiet) }
`

const styleHash = createHash('sha256').update(style).digest('base64')
const onlyOurs = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
/** The hash allows the one style. The browser may load, run, frame or send nothing else. */
export const pageHeaders = { 'content-security-policy': onlyOurs }
/** The browser may load our script, and the script may ask us. */
export const scriptHeaders = {
  'content-security-policy': `${onlyOurs}; script-src 'self'; connect-src 'self'`,
}

interface Shown {
  title: string
  about: string
  /** HTML. */
  body: string
  contact: string
  /** The path of a script of ours. */
  script?: string
}

const link = (path: string, text: string) => `<a href="${path}">${text}</a>`

export const layout = ({ title, about, body, contact, script }: Shown): string => `<!doctype html>
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
<style>${style}</style>${script ? `\n<script src="${script}" type="module"></script>` : ''}
</head>
<body>
<header><nav aria-label="Pages">${[
  link('/', 'Farebox'),
  link('/market', 'Market'),
  link('/status', 'Status'),
  link('/changelog', 'Changes'),
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
