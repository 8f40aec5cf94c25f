/** What a running seller offers, in its own words: what is built in, and what files sell. */

export interface Offered {
  path: string
  method: 'GET' | 'POST'
  isPaid: boolean
  question: Record<string, unknown>
}

interface Described {
  'x-payment-info'?: object
  parameters?: { name?: string; in?: string; example?: unknown }[]
  requestBody?: { content: { 'application/json': { example: Record<string, unknown> } } }
}

interface Told {
  paths: Record<string, { get?: Described; post?: Described }>
}

const questionOf = ({ requestBody, parameters = [] }: Described): Record<string, unknown> =>
  requestBody?.content['application/json'].example ??
  Object.fromEntries(
    parameters.flatMap(({ name, in: place, example }) =>
      name !== undefined && place === 'query' && example !== undefined ? [[name, example]] : [],
    ),
  )

export async function offeredBy(url: string): Promise<Offered[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Told
  return Object.entries(paths).flatMap(([path, { get, post }]) => {
    const described = post ?? get
    if (!described) return []
    const isPaid = described['x-payment-info'] !== undefined
    return [{ path, method: post ? 'POST' : 'GET', isPaid, question: questionOf(described) } as const]
  })
}

/** The names of its tools over MCP. */
export async function toolsOf(url: string): Promise<string[]> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  const text = (await response.text()).replace(/^[\s\S]*?(?=\{)/, '')
  return (JSON.parse(text) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}
