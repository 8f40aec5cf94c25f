/** What a person sees where a page is not: what went wrong, and what was probably meant. Programs get JSON. */
import type { OpenOrigin } from '../../offer/origin.ts'
import { layout } from '../face/layout.ts'
import { docsPath, escaped, linkTo } from '../face/text.ts'
import { offeredBy } from './offered.ts'

interface Missed {
  path: string
  code: string
  status: number
  message: string
  origins: readonly OpenOrigin[]
  contact: string
}

const titles: Record<number, string> = {
  404: 'There is nothing here',
  405: 'This is asked in another way',
  429: 'Too much at once',
  500: 'That is our fault',
  503: 'Not now',
}

const pages = [
  '/',
  '/docs',
  '/market',
  '/status',
  '/lineage',
  '/changelog',
  '/openapi.json',
  '/llms.txt',
  '/mcp',
]

export function missedPage({ path, code, status, message, origins, contact }: Missed): string {
  const title = titles[status] ?? 'That did not work'
  const meant = status === 404 ? likely(path, origins) : []
  return layout({
    title: `${title} · Farebox`,
    about: message,
    contact,
    body: `<h1>${title}</h1>
<p class="lead">${escaped(message)}</p>
<p><span class="tag">${status}</span> <code>${escaped(code)}</code></p>
${meant.length ? `<h2>Did you mean</h2><ul>${meant.map(({ href, text }) => `<li>${linkTo(href, text)}</li>`).join('')}</ul>` : ''}
<p class="actions"><a class="button main" href="/docs">All operations</a><a class="button" href="/">The first page</a></p>`,
  })
}

/** Longer paths are nobody's slip. */
const mostLetters = 80
const most = 4

function likely(path: string, origins: readonly OpenOrigin[]): { href: string; text: string }[] {
  const names = path.slice(0, mostLetters).toLowerCase().split('/').filter(Boolean)
  const asked = `/${(names.length > 1 && names[0] === 'docs' ? names.slice(1) : names).join('/')}`
  const known = [
    ...offeredBy(origins).map(each => ({
      name: each.path as string,
      href: docsPath(each.path),
      text: `${each.title} (${each.path})`,
    })),
    ...pages.map(name => ({ name, href: name, text: name === '/' ? 'The first page' : name })),
  ]
  return known
    .map(each => ({ ...each, far: each.name.startsWith(`${asked}/`) ? 1 : slips(asked, each.name) }))
    .filter(({ far, name }) => far <= Math.max(2, Math.ceil(name.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
}

/** How many letters have to be changed, added or left out to make one word of the other. */
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (other[j - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Where a person is led who opens the address of an operation in a browser. */
export const pageOfOperation = (path: string, origins: readonly OpenOrigin[]): string | undefined =>
  offeredBy(origins).some(offered => offered.path === path && offered.method === 'POST')
    ? docsPath(path)
    : undefined
