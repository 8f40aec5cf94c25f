/** The family of a caller's program. Strangers write the header, so the list is short and closed. */
import type { clientFamilies } from '../../../schemas/door-counts.ts'

export type ClientFamily = (typeof clientFamilies)[number]

/** The first that stands in the header, in lower case. Crawlers and agents name themselves beside a browser. */
const signs: readonly (readonly [sign: string, family: ClientFamily])[] = [
  ['farebox-canary', 'canary'],
  ...(['bot', 'crawl', 'spider', 'slurp', 'preview', 'x402scan', 'monitor', 'uptime', 'health'] as const).map(
    sign => [sign, 'crawler'] as const,
  ),
  ...(
    ['claude', 'chatgpt', 'openai', 'gptbot', 'cursor', 'mcp', 'langchain', 'agentkit', 'copilot'] as const
  ).map(sign => [sign, 'agent'] as const),
  ...(['curl/', 'wget', 'httpie', 'postman', 'insomnia'] as const).map(
    sign => [sign, 'command_line'] as const,
  ),
  ...(['python', 'aiohttp', 'httpx'] as const).map(sign => [sign, 'python'] as const),
  ...(['node', 'undici', 'axios', 'got ', 'bun/', 'deno/'] as const).map(sign => [sign, 'node'] as const),
  ...(['go-http-client', 'go/', 'resty'] as const).map(sign => [sign, 'go'] as const),
  ...(['reqwest', 'hyper/', 'rust'] as const).map(sign => [sign, 'rust'] as const),
  ...(['java', 'okhttp', 'apache-httpclient'] as const).map(sign => [sign, 'java'] as const),
  ['mozilla/', 'browser'],
]

/** No program that we know names itself later. */
const mostRead = 200
/** Programs of one kind send one text. All are forgotten at once, so that strangers cannot fill the memory. */
const mostKnown = 500
const known = new Map<string, ClientFamily>()

export function familyOf(userAgent: string | undefined): ClientFamily {
  if (!userAgent) return 'none'
  const text = userAgent.length > mostRead ? userAgent.slice(0, mostRead) : userAgent
  const before = known.get(text)
  if (before !== undefined) return before
  const lower = text.toLowerCase()
  const family = signs.find(([sign]) => lower.includes(sign))?.[1] ?? 'other'
  if (known.size >= mostKnown) known.clear()
  known.set(text, family)
  return family
}
