/** How to call an operation: the tested examples of the client's folder, with its path and question in them. */
import { readFileSync } from 'node:fs'
import { toolName } from '../mcp/tools.ts'
import { addressOf, type Offered } from './offered.ts'

const folder = new URL('../../client/examples/', import.meta.url)

/** The path and question in each file. Those of another operation take their place. */
const asked = { path: '/fx', question: { from: 'USD', to: 'JPY' } }
const localUrl = 'http://127.0.0.1:8402'

interface Example {
  title: string
  file: string
  /** The question as it stands in the file. */
  written: string
  form: keyof typeof forms
}

/** Writes a question as the code holds it. The script of the page does the same with one that is edited. */
const forms = {
  json: (question: object) => json(question),
  python: (question: object) => python(question),
  go: (question: object) => JSON.stringify(json(question)),
  shell: (question: object) => quoted(json(question)),
}

const json = (question: object) => JSON.stringify(question)
/** A question is JSON. Python writes true, false and null in another way. */
const python = (question: object) =>
  JSON.stringify(question).replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, part => words[part] ?? part)
const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

export const examples: readonly Example[] = [
  {
    title: 'TypeScript, x402’s own client',
    file: 'call.ts',
    written: "{ from: 'USD', to: 'JPY', amount: 100 }",
    form: 'json',
  },
  {
    title: 'Python, x402’s own client',
    file: 'call.py',
    written: '{"from": "USD", "to": "JPY", "amount": 100}',
    form: 'python',
  },
  {
    title: 'Go, signed by hand',
    file: 'call.go',
    written: `\`${json(asked.question)}\``,
    form: 'go',
  },
  {
    title: 'curl, signed by hand',
    file: 'call.sh',
    written: `'${json(asked.question)}'`,
    form: 'shell',
  },
]

export const textOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8').trimEnd()

/** The examples as they are, for a document. */
export const examplesShown = (): string =>
  [
    ...examples,
    { title: 'MCP, the Python client: one call free, one paid', file: 'call-mcp.py' },
    { title: 'A receiver of webhooks in Python', file: 'receive.py' },
  ]
    .map(({ title, file }) => {
      const language = languages[file.split('.')[1] ?? ''] ?? ''
      return [`### ${title} (\`${file}\`)`, '', `\`\`\`${language}`, textOf(file), '```'].join('\n')
    })
    .join('\n\n')
const languages: Record<string, string> = { ts: 'ts', py: 'python', go: 'go', sh: 'sh' }

/** Throws if the file has no place for the path or the question. Then the example has changed. */
export function snippet({ file, written, form }: Example, { path, example, origin }: Offered): string {
  const text = textOf(file)
  if (!text.includes(asked.path) || !text.includes(written))
    throw new Error(`${file} has no place for ${path}`)
  return text
    .replace(written, () => forms[form](example.request as object))
    .replaceAll(new RegExp(`${asked.path}(?=["'\`])`, 'g'), () => path)
    .replaceAll(localUrl, () => origin.url)
}

/** The configuration for MCP hosts that read a file of servers, and for a program. */
export const mcpConfiguration = (url: string): string =>
  JSON.stringify({ mcpServers: { farebox: { type: 'http', url } } }, null, 2)

export const mcpCall = (operation: Offered): string =>
  JSON.stringify({ name: toolName(operation), arguments: operation.example.request }, null, 2)

/** Quotes text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const formOfCurl = ({ method }: Offered): string => (method === 'GET' ? 'address' : 'shell')

/** Asks the example, unpaid. */
export const curl = (offered: Offered): string =>
  offered.method === 'GET'
    ? `curl ${quoted(addressOf(offered))}`
    : `curl -i -X POST ${addressOf(offered)} \\
  -H 'content-type: application/json' -d ${quoted(JSON.stringify(offered.example.request))}`
