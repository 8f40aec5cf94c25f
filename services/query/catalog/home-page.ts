/** The first page: what this is, what one call looks like, what is offered, and for whom. */
import type { OpenOrigin } from '../../offer/origin.ts'
import { layout } from '../face/layout.ts'
import type { Picture } from '../face/picture.ts'
import { code, docsPath, escaped, linkTo } from '../face/text.ts'
import { callDrawing } from './call-drawing.ts'
import {
  type CatalogOptions,
  type Figure,
  fee,
  generalPicture,
  limitsOf,
  type Offered,
  offeredBy,
  titlesOf,
  urlOf,
} from './offered.ts'
import { curl, mcpConfiguration } from './snippets.ts'

/** The place of what changes from minute to minute, so that all else is written once. */
const figuresHere = '<!-- figures -->'

export const withFigures = (page: string, figures: readonly Figure[]): string =>
  page.replace(figuresHere, () =>
    figures.length
      ? `<dl class="figures">${figures.map(({ name, value }) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`
      : '',
  )

export function homePage(origins: readonly OpenOrigin[], options: CatalogOptions): string {
  const [first] = offeredBy(origins)
  const body = [
    `<div class="two"><div>
<h1 class="hero">Public data,<br>sold by the call</h1>
<p class="lead">Ask a question. Hear its price. Pay it in USDC on ${escaped(options.paidOn)}. Get the answer with a receipt. No account, no key.</p>
<p class="actions">${first ? `<a class="button main" href="${docsPath(first.path)}">${options.play ? 'Try a call' : 'See a call'}</a>` : ''}<a class="button" href="/docs">All operations and prices</a><button type="button" data-opens="find" disabled>Search <kbd>/</kbd></button></p>
${first ? code(curl(first)) : ''}
</div>${first ? callDrawing(first) : ''}</div>`,
    figuresHere,
    `<h2>What is sold</h2>
<div class="grid">${origins.map(groupOf).join('')}</div>`,
    `<h2>For whom</h2>
<div class="grid pairs">${readersOf(origins, options).map(readerOf).join('')}</div>`,
    `<p class="small quiet">${escaped(limitsOf(options))}</p>`,
    credits(origins),
  ]
  return layout({
    title: 'Farebox: public data, sold by the call',
    about: `${titlesOf(origins)}. Ask, pay in USDC over x402, get the answer and a receipt.`,
    contact: options.contact,
    picture: generalPicture(origins),
    body: body.join('\n'),
  })
}

/** Of the first page, and of all pages without one of their own. */
export const homePicture = (origins: readonly OpenOrigin[], { paidOn }: CatalogOptions): Picture => ({
  over: 'Farebox',
  title: 'Public data, sold by the call',
  lines: [
    `${offeredBy(origins).length} questions, each with its price`,
    `USDC on ${paidOn}`,
    'No account. No key. A receipt.',
  ],
})

/** Three of different subjects, as far as there are so many. */
function threeOf(offered: readonly Offered[]): readonly Offered[] {
  const subject = ({ path }: Offered) => path.split('/')[1]
  const firsts = offered.filter(
    (each, at) => offered.findIndex(other => subject(other) === subject(each)) === at,
  )
  return [...new Set([...firsts, ...offered])].slice(0, 3)
}

const most = 72
const questionOf = ({ example }: Offered): string => {
  const text = JSON.stringify(example.request)
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

function groupOf(origin: OpenOrigin): string {
  const all = offeredBy([origin])
  const three = threeOf(all).map(
    each =>
      `<li><a class="priced" href="${docsPath(each.path)}"><span>${escaped(each.title)}</span><span class="mono">${fee(each)}</span></a><code class="small quiet">${escaped(questionOf(each))}</code></li>`,
  )
  return `<section class="card"><h3>${escaped(origin.name[0]?.toUpperCase() + origin.name.slice(1))}</h3><p class="quiet">${escaped(origin.title)}</p><ul>${three.join('')}</ul><p>${linkTo(`/docs#${origin.name}`, `All ${all.length} of ${origin.name}`)}</p></section>`
}

interface Reader {
  who: string
  line: string
  command: string
}

const readersOf = (origins: readonly OpenOrigin[], { mcpUrl }: CatalogOptions): Reader[] => [
  {
    who: 'Agents',
    line: 'read what is offered, and call it as tools of MCP. A few calls a day are free, without a wallet.',
    command: mcpConfiguration(mcpUrl),
  },
  {
    who: 'Developers',
    line: 'call with the client of x402 in their language. Each page of an operation has the code.',
    command: `curl ${urlOf(origins)}/llms.txt`,
  },
  {
    who: 'Analysts',
    line: 'ask the store for every sale, payment and fact, in SQL.',
    command: "npm run query -- 'select tool, price_usdc, payment_tx from receipts limit 10'",
  },
  {
    who: 'Operators',
    line: 'run all of it, chains and play money too, from one command, and sell their own data from one file.',
    command: 'npm ci && npm start',
  },
]

const readerOf = ({ who, line, command }: Reader): string =>
  `<section class="card"><h3>${who}</h3><p class="quiet">${escaped(line)}</p>${code(command)}</section>`

/** Names, once each, the sources whose terms demand it. */
const credits = (origins: readonly OpenOrigin[]): string => {
  const links = offeredBy(origins)
    .flatMap(({ attribution }) => attribution ?? [])
    .map(({ text, url }) => `<p class="small">${linkTo(url, text)}</p>`)
  return [...new Set(links)].join('\n')
}
