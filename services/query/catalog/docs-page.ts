/** The page of one operation: its question, its answer, its refusals, and how to call it. */
import { escaped, layout, prose } from './layout.ts'
import { type CatalogOptions, fee, mppOf, type Offered } from './offered.ts'
import { curl } from './page.ts'
import { jsonSchema } from './schemas.ts'
import { examples, mcpCall, mcpConfiguration, snippet } from './snippets.ts'
import { tryIt, tryItScript } from './try-it.ts'
import { typeOf } from './type-text.ts'
import { methodName } from './typescript.ts'

const code = (text: string): string => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`

const table = (headings: readonly string[], rows: readonly string[]): string =>
  `<div class="wide" tabindex="0"><table><thead><tr>${headings.map(each => `<th>${each}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`

const fieldsOf = (type: Offered['request'], io: 'input' | 'output'): string => {
  const { properties = {}, required = [] } = jsonSchema(type, io)
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description = '' } = schema as { description?: string }
    const kind = typeOf(schema as object).replace(/\s+/g, ' ')
    const short = kind.length > 60 ? `${kind.slice(0, 57)}…` : kind
    return `<tr><td><code>${escaped(name)}</code>${required.includes(name) ? '' : ' <small>optional</small>'}</td><td><code>${escaped(short)}</code></td><td>${prose(description)}</td></tr>`
  })
  return rows.length ? table(['field', 'type', 'what'], rows) : '<p>Nothing.</p>'
}

export function docsPage(offered: Offered, options: CatalogOptions): string {
  const { title, about, path, method, request, response, refusals, example } = offered
  const refused = Object.entries(refusals).map(
    ([code, { status, about }]) =>
      `<tr><td><code>${code}</code></td><td>${status}</td><td>${prose(about)}</td></tr>`,
  )
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<p><code>${method} ${escaped(path)}</code>, ${fee(offered)}. ${prose(about)}</p>`,
    options.play ? tryIt(offered, options.play) : '',
    `<h2>Question</h2>${fieldsOf(request, 'input')}`,
    `<h2>Answer</h2>${fieldsOf(response, 'output')}`,
    refused.length ? `<h2>Refusals, all of them free</h2>${table(['code', 'status', 'when'], refused)}` : '',
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
