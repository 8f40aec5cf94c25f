/** The page of one operation: its question, its answer, its refusals, what stands behind it, and how to call it. */

import { errorBody } from '../../offer/errors.ts'
import { drawingsOf } from '../face/drawn.ts'
import { fieldTree } from '../face/field-tree.ts'
import { layout } from '../face/layout.ts'
import { type Picture, pictureEnd } from '../face/picture.ts'
import { readable } from '../face/readable.ts'
import { table } from '../face/table.ts'
import { code, docsPath, escaped, linkTo, prose, refusalId, whole } from '../face/text.ts'
import { type Behind, type CatalogOptions, fee, mppOf, type Offered } from './offered.ts'
import { toldSchema } from './schemas.ts'
import { curl, examples, formOfCurl, mcpCall, mcpConfiguration, snippet } from './snippets.ts'
import { canTry, tryIt, tryItScript } from './try-it.ts'
import { methodName } from './typescript.ts'

const mostOfError = 200

/** The places of what changes, so that all else is written once. */
const behindHere = '<!-- behind -->'
const linksHere = '<!-- links -->'

export const withBehind = (page: string, behind: Behind | undefined): string =>
  page
    .replace(behindHere, () => (behind ? behindOf(behind) : ''))
    .replace(linksHere, () => (behind ? linksOf(behind) : ''))

const linkWithin = ([id, name]: readonly [id: string, name: string]): string => `<a href="#${id}">${name}</a>`
const linksOf = ({ sources, views }: Behind): string =>
  [
    ...(sources.length ? [['fresh', 'How fresh'] as const] : []),
    ...(views.length ? [['sql', 'SQL'] as const] : []),
  ]
    .map(linkWithin)
    .join('')

export function docsPage(offered: Offered, options: CatalogOptions): string {
  const { title, about, path, method, origin } = offered
  const body = [
    `<p class="crumbs"><a href="/docs">Operations</a> / ${linkTo(`/docs#${origin.name}`, origin.name)}</p>`,
    `<h1>${escaped(title)}</h1>`,
    `<p class="lead"><code><span class="method">${method}</span> ${escaped(origin.url + path)}</code> <span class="tag">${fee(offered)}</span></p>`,
    `<p>${prose(about)}</p>`,
    `<nav class="row" aria-label="On this page">${parts.map(linkWithin).join('')}${linksHere}</nav>`,
    canTry(offered, options) ? tryIt(offered, options) : '',
    `<div class="two"><div><h2 id="question">Question</h2>${fieldTree(toldSchema(offered, 'request'))}</div><div><h2 id="answer">Answer</h2>${fieldTree(toldSchema(offered, 'response'))}</div></div>`,
    trueAnswer(offered),
    refusalsOf(offered),
    behindHere,
    `<h2 id="call">Call it</h2>${calls(offered, options)}`,
    offered.price === undefined || !mppOf(options) ? '' : `<p class="quiet">${escaped(mppOf(options))}</p>`,
  ]
  return layout({
    title: `${title} · Farebox`,
    about,
    body: body.filter(Boolean).join('\n'),
    contact: options.contact,
    picture: origin.url + docsPath(path) + pictureEnd,
    ...(canTry(offered, options) && { script: tryItScript.path }),
  })
}

export const docsPicture = (offered: Offered): Picture => ({
  over: `Farebox ${offered.origin.name}`,
  title: offered.title,
  lines: [fee(offered), `${offered.method} ${offered.path}`, 'Paid over x402. A refusal is free.'],
})

const parts = [
  ['question', 'Question'],
  ['answer', 'Answer'],
  ['example', 'A true answer'],
  ['refusals', 'Refusals'],
  ['call', 'Call it'],
] as const

/** The real answer of the example, as people read it and as programs do. */
function trueAnswer({ id, example, origin }: Offered): string {
  if (example.response === undefined) return ''
  return `<h2 id="example">A true answer</h2>
<p class="quiet">To the question <code>${escaped(JSON.stringify(example.request))}</code>. A paid one has a receipt, too.</p>
${drawingsOf(example.response, origin.drawings?.of[id])}
<div class="two"><div class="card long" role="region" aria-label="The answer, as people read it" tabindex="0">${readable(example.response)}</div><details open><summary>The same as JSON</summary>${code(JSON.stringify(example.response, null, 2))}</details></div>`
}

function refusalsOf({ refusals }: Offered): string {
  const rows = Object.entries(refusals).map(([name, { status, about }]) => [
    `<code id="${refusalId(name)}">${escaped(name)}</code>`,
    String(status),
    prose(about),
    `<details><summary>what comes</summary>${code(JSON.stringify(errorBody(name, about), null, 2))}</details>`,
  ])
  if (rows.length === 0) return ''
  return `<h2 id="refusals">Refusals, all of them free</h2>${table({ columns: ['code', 'status', 'when', 'example'], rows, caption: 'Refusals' })}`
}

/** How fresh its facts are, and how an analyst asks the same. */
function behindOf({ sources, views }: Behind): string {
  const polled = sources.map(({ name, state, isGood, lastGood, promise }) => [
    `<a href="/status#source-${escaped(name)}">${escaped(name)}</a>`,
    `<span class="${isGood ? 'good' : 'bad'}">${escaped(state)}</span>`,
    escaped(lastGood),
    escaped(promise),
  ])
  const fresh = polled.length
    ? `<h2 id="fresh">How fresh it is</h2>${table({ columns: ['source', 'last poll', 'last good', 'at most'], rows: polled, caption: 'Sources' })}${pollsOf(sources)}`
    : ''
  const asked = views.length
    ? `<h2 id="sql">The same in SQL</h2><p class="quiet">Who runs the service asks the store, of the ${views.length > 1 ? 'views' : 'view'} that the answer is read from.</p>${code(views.map(({ sql }) => sql).join('\n'))}${views.map(columnsOf).join('')}`
    : ''
  return fresh + asked
}

/** The last polls of each source: when, how it ended, and why it failed. */
function pollsOf(sources: Behind['sources']): string {
  const rows = sources.flatMap(({ name, polls }) =>
    polls.map(({ at, outcome, tookMs, error }) => [
      escaped(name),
      `<time>${escaped(at)}</time>`,
      `<span class="${outcome === 'failed' ? 'bad' : 'good'}">${escaped(outcome)}</span>`,
      `${whole(tookMs)} ms`,
      escaped((error ?? '').slice(0, mostOfError)),
    ]),
  )
  return rows.length
    ? `<details><summary>The last polls <small>${rows.length}</small></summary>${table({ columns: ['source', 'when, UTC', 'how it ended', 'it took', 'what is wrong'], rows, caption: 'The last polls' })}</details>`
    : ''
}

const columnsOf = ({ name, columns }: Behind['views'][number]): string =>
  `<details><summary>The columns of <code>${escaped(name)}</code></summary>${table({
    columns: ['column', 'what'],
    rows: columns.map(([column, about]) => [`<code>${escaped(column)}</code>`, prose(about)]),
    caption: `The columns of ${name}`,
  })}</details>`

function calls(offered: Offered, { mcpUrl }: CatalogOptions): string {
  const { path, example, price, origin } = offered
  const typed = `import { createFarebox } from 'farebox-client'

const farebox = createFarebox({ url: '${origin.url}', wallet: { evmKey: yourKey } })
const result = await farebox.${methodName(path)}(${JSON.stringify(example.request)})`
  const free = [
    [price === undefined ? 'curl' : 'curl, to hear the price', curl(offered), formOfCurl(offered)],
    ['TypeScript, the typed client', typed, 'json'],
  ]
  const paid = [
    ...examples.map(each => [each.title, snippet(each, offered), each.form]),
    ['MCP, the configuration of a host', mcpConfiguration(mcpUrl)],
    ['MCP, the call of the tool', mcpCall(offered), 'lines'],
  ]
  return [...free, ...(price === undefined ? [] : paid)]
    .map(
      ([title = '', text = '', form], i) =>
        `<details${i ? '' : ' open'}><summary>${escaped(title)}</summary>${code(text, form)}</details>`,
    )
    .join('\n')
}
