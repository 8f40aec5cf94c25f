/** Toolsets: a caller who wants few tools names them, or their origins, in the address: /mcp?tools=fx,chain. */
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { Failure } from '../../offer/errors.ts'
import type { Shown } from './shown.ts'

/** A model reads the list before its first question. */
const mostBytes = 29_750

/** The list of all tools is short in its words. That of chosen tools says as much as has room, with the schemas of the answers. */
export function toolsFor({ tools }: Shown, query: unknown): Tool[] {
  const { tools: asked } = query as { tools?: string | string[] }
  if (asked === undefined) return tools.map(({ tool }) => tool)
  const names = new Set(
    [asked]
      .flat()
      .flatMap(list => list.split(','))
      .map(name => name.trim())
      .filter(Boolean),
  )
  const known = new Set(tools.flatMap(({ tool, origin }) => [tool.name, origin ?? []].flat()))
  const unknown = [...names].filter(name => !known.has(name))
  if (unknown.length || !names.size)
    throw new Failure('invalid_request', `tools names tools and origins, out of ${[...known].join(', ')}`)
  const isChosen = ({ tool, origin }: Shown['tools'][number]) =>
    names.has(tool.name) || origin === undefined || names.has(origin)
  return asLongAs(tools.filter(isChosen).map(({ tellings }) => tellings))
}

/** All tools tell equally much: as much as has room. */
function asLongAs(tools: readonly Shown['tools'][number]['tellings'][]): Tool[] {
  const levels = Math.max(...tools.map(({ length }) => length))
  for (let level = 0; ; level++) {
    const told = tools.flatMap(tellings => tellings[Math.min(level, tellings.length - 1)] ?? [])
    const bytes = told.reduce((sum, each) => sum + each.bytes, 0)
    if (bytes <= mostBytes || level >= levels - 1) return told.map(({ tool }) => tool)
  }
}
