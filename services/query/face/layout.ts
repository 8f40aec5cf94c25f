/** The frame that all pages for people share. It loads nothing from elsewhere, and only our own scripts run in it. */
import { createHash } from 'node:crypto'
import { brand } from './icon.ts'
import { pictureHeight, pictureWidth } from './picture.ts'
import { style } from './style.ts'
import { escaped, linkTo } from './text.ts'

/** The script that searches, on every page. */
export const finderPath = '/finder.js'

const styleHash = createHash('sha256').update(style).digest('base64')
const onlyOurs = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'`
/** The hash allows the one style. The browser may load, run, frame or send nothing else than our own scripts. */
export const pageHeaders = { 'content-security-policy': onlyOurs }
/** A script of ours may ask us, too, and show the picture that an answer holds. */
export const scriptHeaders = {
  'content-security-policy': `${onlyOurs.replace("img-src 'self'", "img-src 'self' data:")}; connect-src 'self'`,
}

interface Framed {
  title: string
  about: string
  /** HTML. */
  body: string
  contact: string
  /** Where it stands, if the navigation leads there. */
  path?: string
  /** The address of the picture that others show beside a link to it. */
  picture?: string
  /** The path of a script of ours, beside the one that searches. */
  script?: string
}

const places: readonly (readonly [path: string, name: string])[] = [
  ['/docs', 'Operations'],
  ['/market', 'Market'],
  ['/status', 'Status'],
  ['/lineage', 'Lineage'],
  ['/changelog', 'Changes'],
]

const navigation = (at: string | undefined): string =>
  places
    .map(([path, name]) =>
      path === at ? `<a href="${path}" aria-current="page">${name}</a>` : linkTo(path, name),
    )
    .join('')

const scriptOf = (path: string): string => `<script src="${path}" type="module"></script>`

const pictureTags = (address: string): string => `
<meta property="og:image" content="${escaped(address)}">
<meta property="og:image:width" content="${pictureWidth}">
<meta property="og:image:height" content="${pictureHeight}">
<meta name="twitter:card" content="summary_large_image">`

export const layout = ({
  title,
  about,
  body,
  contact,
  path,
  picture,
  script,
}: Framed): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(about)}">
<meta property="og:title" content="${escaped(title)}">
<meta property="og:description" content="${escaped(about)}">
<meta property="og:type" content="website">${picture ? pictureTags(picture) : ''}
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="service-desc" href="/openapi.json" type="application/json">
<link rel="alternate" href="/llms.txt" type="text/plain">
<link rel="alternate" href="/changelog.atom" type="application/atom+xml" title="Changes">
<link rel="alternate" href="/status.rss" type="application/rss+xml" title="Incidents">
<style>${style}</style>
${[finderPath, script].flatMap(each => (each ? scriptOf(each) : [])).join('\n')}
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="site"><a class="brand" href="/">${brand}Farebox</a><nav aria-label="Pages">${navigation(path)}</nav><button id="find-open" type="button" disabled>Search <kbd>/</kbd></button></header>
<main id="main">
${body}
</main>
<footer class="site"><p><strong>A call that fails is never charged.</strong> ${linkTo('/llms.txt', 'llms.txt')} ${linkTo('/openapi.json', 'OpenAPI')} ${linkTo('/health', 'Health')} ${linkTo('/.well-known/security.txt', 'Security')} ${linkTo(`${contact.includes('@') ? 'mailto:' : ''}${contact}`, 'Contact')}</p></footer>
</body>
</html>
`
