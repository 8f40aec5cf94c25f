/** A site of 120 pages beside its home page, with an index of packed sitemaps and a robots.txt. */
import { gzipSync } from 'node:zlib'

interface IslePage {
  type?: string
  body: string | Buffer
}

const host = 'isles.sample'
const count = 120
const numbers = Array.from({ length: count }, (_, i) => i + 1)
const xml = 'application/xml'
const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
const space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const at = (path: string) => `<loc>http://${host}${path}</loc>`

const page = (title: string, body: string): IslePage => ({
  body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} - Isles Sample</title></head>
<body><nav><a href="/">All isles</a></nav><main><h1>${title}</h1>
${body}
</main><footer>A sample page of the sandbox. Nothing on it is real.</footer></body></html>
`,
})

const kinds = ['a low isle of sand and marram', 'a high isle of black rock', 'an isle of two hills and a bog']
const isle = (n: number): IslePage =>
  page(
    `Isle ${n}`,
    `<p>Isle ${n} is ${kinds[n % kinds.length]}. It lies ${3 + (n % 17)} sea miles from the harbour, and ${40 + n * 7} people live there in winter.</p>
<h2>How to get there</h2>
<p>The boat leaves at ${String(6 + (n % 12)).padStart(2, '0')}:${String((n * 7) % 60).padStart(2, '0')} and takes ${20 + n} minutes. A seat costs ${4 + (n % 9)} euros.</p>
<p>The next isle is <a href="/isles/${(n % count) + 1}">isle ${(n % count) + 1}</a>.</p>`,
  )

const home = page(
  'The isles',
  `<p>There are ${count} isles between the harbour and the open sea, and each has a page of its own here.</p>
<ul>${numbers
    .slice(0, 10)
    .map(n => `<li><a href="/isles/${n}?utm_source=home">Isle ${n}</a></li>`)
    .join('')}</ul>
<p><a href="/office/ledger">The ledger of the harbour office</a></p>`,
)

const sitemap = (of: readonly number[]): IslePage => ({
  type: 'application/gzip',
  body: gzipSync(
    `${head}<urlset ${space}>${of.map(n => `<url>${at(`/isles/${n}`)}<lastmod>2026-11-01</lastmod></url>`).join('')}</urlset>`,
  ),
})

export const islesPages: Readonly<Record<string, IslePage>> = {
  [`${host}/`]: home,
  [`${host}/robots.txt`]: {
    type: 'text/plain',
    body: `User-agent: *\nDisallow: /office/\n\nSitemap: http://${host}/sitemap.xml\n`,
  },
  [`${host}/sitemap.xml`]: {
    type: xml,
    body: `${head}<sitemapindex ${space}>${[1, 2].map(n => `<sitemap>${at(`/sitemap-${n}.xml.gz`)}</sitemap>`).join('')}</sitemapindex>`,
  },
  [`${host}/sitemap-1.xml.gz`]: sitemap(numbers.slice(0, count / 2)),
  [`${host}/sitemap-2.xml.gz`]: sitemap(numbers.slice(count / 2)),
  [`${host}/office/ledger`]: page('The ledger', '<p>Closed to programs.</p>'),
  ...Object.fromEntries(numbers.map(n => [`${host}/isles/${n}`, isle(n)])),
}
