/** One operation for people: what it is asked, what it answers, what it refuses, and how it is called. */
import { toolName } from '../mcp/tools.ts'
import { escaped, layout } from './layout.ts'
import { addressOf, type CatalogOptions, fee, type Offered } from './offered.ts'
import { curl } from './page.ts'
import { jsonSchema } from './schemas.ts'
import { methodName, typeOf } from './typescript.ts'

const block = (heading: string, code: string): string =>
  `<h2>${heading}</h2>\n<pre tabindex="0"><code>${escaped(code)}</code></pre>`

const fieldsOf = (type: Offered['request'], io: 'input' | 'output'): string => {
  const { properties = {}, required = [] } = jsonSchema(type, io)
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description = '' } = schema as { description?: string }
    const kind = typeOf(schema as object).replace(/\s+/g, ' ')
    const short = kind.length > 60 ? `${kind.slice(0, 57)}…` : kind
    return `<tr><td><code>${escaped(name)}</code>${required.includes(name) ? '' : ' <small>optional</small>'}</td><td><code>${escaped(short)}</code></td><td>${escaped(description)}</td></tr>`
  })
  return rows.length
    ? `<div class="wide" tabindex="0"><table><thead><tr><th>field</th><th>type</th><th>what</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
    : '<p>Nothing.</p>'
}

export function docsPage(offered: Offered, { contact, mcpUrl }: CatalogOptions): string {
  const { title, about, path, method, request, response, refusals, example, price, origin } = offered
  const question = JSON.stringify(example.request)
  const refused = Object.entries(refusals).map(
    ([code, { status, about }]) =>
      `<tr><td><code>${code}</code></td><td>${status}</td><td>${escaped(about)}</td></tr>`,
  )
  const mcp = { mcpServers: { farebox: { type: 'http', url: mcpUrl } } }
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<p><code>${method} ${escaped(path)}</code>, ${fee(offered)}. ${escaped(about)}</p>`,
    `<h2>Question</h2>${fieldsOf(request, 'input')}`,
    `<h2>Answer</h2>${fieldsOf(response, 'output')}`,
    refused.length
      ? `<h2>Refusals, all of them free</h2><div class="wide" tabindex="0"><table><thead><tr><th>code</th><th>status</th><th>when</th></tr></thead><tbody>${refused.join('')}</tbody></table></div>`
      : '',
    block('A true answer', JSON.stringify(example.response, null, 2)),
    block('curl', curl(offered)),
    block(
      'TypeScript',
      `import { createFarebox } from 'farebox-client'\n\nconst farebox = createFarebox({ url: '${origin.url}', wallet: { evmKey: yourKey } })\nconst result = await farebox.${methodName(path)}(${question})`,
    ),
    price === undefined
      ? ''
      : block(
          'Python',
          `# payer: an x402Client with a scheme registered; pip install 'x402[httpx,evm]'\nasync with x402HttpxClient(payer) as http:\n    response = await http.post("${addressOf(offered)}", json=${question})`,
        ),
    price === undefined ? '' : block(`MCP: the tool ${toolName({ path })}`, JSON.stringify(mcp, null, 2)),
  ]
  return layout({ title: `${title} · Farebox`, about, body: body.filter(Boolean).join('\n'), contact })
}
