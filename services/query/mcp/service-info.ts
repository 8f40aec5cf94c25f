/** The tool that tells what is sold: all of it in short, or everything about one tool. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { errorBody } from '../../offer/errors.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { told } from './results.ts'
import { getServiceInfo, type SoldTool, tellings } from './tools.ts'
import { freeCallsADay } from './trials.ts'

export interface ServiceInfo {
  /** What is true of the whole service: promises, networks, how it fares. */
  info(origins: readonly OpenOrigin[]): Promise<object>
}

export function serviceInfoTool(
  origins: readonly OpenOrigin[],
  sold: readonly SoldTool[],
  { info }: ServiceInfo,
): { tool: Tool; call(given: Record<string, unknown>): Promise<CallToolResult> } {
  const prices = Object.fromEntries(sold.map(({ name, operation }) => [name, operation.price]))
  const toolsets = Object.fromEntries(origins.map(({ name, title }) => [name, title]))
  return {
    tool: getServiceInfo,
    async call({ tool: asked }) {
      if (asked !== undefined) return aboutOne(sold, asked)
      const free = sold.flatMap(({ name, operation }) => (operation.trial ? name : []))
      return told(
        JSON.stringify({
          ...(await info(origins)),
          prices_usdc: prices,
          free_calls: { a_day: freeCallsADay, in_all_of: free },
          toolsets: { about: 'The names for /mcp?tools=, beside those of tools', ...toolsets },
        }),
      )
    },
  }
}

function aboutOne(sold: readonly SoldTool[], asked: unknown): CallToolResult {
  const found = sold.find(({ name }) => name === asked)
  if (!found) {
    const known = sold.map(({ name }) => name).join(', ')
    const body = errorBody('invalid_request', `tool: no tool that is sold has this name. Known are ${known}`)
    return { ...told(JSON.stringify(body)), isError: true }
  }
  const { operation, origin } = found
  const { name, title, description, inputSchema, outputSchema } = tellings(found)[0]
  return told(
    JSON.stringify({
      ...{ tool: name, operation_id: operation.id, title, about: description, price_usdc: operation.price },
      ...(operation.prices && { price_usdc_by_network: operation.prices }),
      ...{ url: `${origin.url}${operation.path}`, openapi: `${origin.url}/openapi.json` },
      ...{ arguments: inputSchema, answer: outputSchema, free_refusals: operation.refusals },
      example: operation.example,
    }),
  )
}
