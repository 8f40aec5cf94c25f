/** The page of one operation: its question, its answer, its refusals, and how to call it. */
import { layout } from '../face/layout.ts'
import { table } from '../face/table.ts'
import { code, escaped, prose } from '../face/text.ts'
import { type CatalogOptions, fee, mppOf, type Offered } from './offered.ts'
import { jsonSchema } from './schemas.ts'
import { curl, examples, mcpCall, mcpConfiguration, snippet } from './snippets.ts'
import { tryIt, tryItScript } from './try-it.ts'
import { typeOf } from './type-text.ts'
import { methodName } from './typescript.ts'

const fieldsOf = (type: Offered['request'], io: 'input' | 'output'): string => {
  const { properties = {}, required = [] } = jsonSchema(type, io)
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description = '' } = schema as { description?: string }
    const kind = typeOf(schema as object).replace(/\s+/g, ' ')
    const short = kind.length > 60 ? `${kind.slice(0, 57)}…` : kind
    return [
      `<code>${escaped(name)}</code>${required.includes(name) ? '' : ' <small>optional</small>'}`,
      `<code>${escaped(short)}</code>`,
      prose(description),
    ]
  })
  return rows.length ? table({ columns: ['field', 'type', 'what'], rows, caption: io }) : '<p>Nothing.</p>'
}

export function docsPage(offered: Offered, options: CatalogOptions): string {
  const { title, about, path, method, request, response, refusals, example } = offered
  const refused = Object.entries(refusals).map(([code, { status, about }]) => [
    `<code>${code}</code>`,
    String(status),
    prose(about),
  ])
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<p><code>${method} ${escaped(path)}</code>, ${fee(offered)}. ${prose(about)}</p>`,
    options.play ? tryIt(offered, options.play) : '',
    `<h2 id="question">Question</h2>${fieldsOf(request, 'input')}`,
    `<h2 id="answer">Answer</h2>${fieldsOf(response, 'output')}`,
    refused.length
      ? `<h2 id="refusals">Refusals, all of them free</h2>${table({ columns: ['code', 'status', 'when'], rows: refused, caption: 'Refusals' })}`
      : '',
    example.response === undefined
      ? ''
      : `<h2>A true answer</h2><p class="quiet">To the question <code>${escaped(JSON.stringify(example.request))}</code>; a paid one has a receipt too.</p>${code(JSON.stringify(example.response, null, 2))}`,
    `<h2>Call it</h2>${calls(offered, options)}`,
    offered.price === undefined || !mppOf(options) ? '' : `<p class="quiet">${escaped(mppOf(options))}</p>`,
  ]
  return layout({
    title: `${title} · Farebox`,
    about,
    body: body.filter(Boolean).join('\n'),
    contact: options.contact,
    ...(options.play && { script: tryItScript.path }),
  })
}

function calls(offered: Offered, { mcpUrl }: CatalogOptions): string {
  const { path, example, price, origin } = offered
  const typed = `import { createFarebox } from 'farebox-client'

const farebox = createFarebox({ url: '${origin.url}', wallet: { evmKey: yourKey } })
const result = await farebox.${methodName(path)}(${JSON.stringify(example.request)})`
  const free = [
    [price === undefined ? 'curl' : 'curl, to hear the price', curl(offered)],
    ['TypeScript, the typed client', typed],
  ]
  const paid = [
    ...examples.map(each => [each.title, snippet(each, offered)]),
    ['MCP, the configuration of a host', mcpConfiguration(mcpUrl)],
    ['MCP, the call of the tool', mcpCall(offered)],
  ]
  return [...free, ...(price === undefined ? [] : paid)]
    .map(
      ([title = '', text = ''], i) =>
        `<details${i ? '' : ' open'}><summary>${escaped(title)}</summary>${code(text)}</details>`,
    )
    .join('\n')
}
