/** The tools that MCP shows, derived from the operations of the origins. */
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Operation } from '../../offer/operation.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { jsonSchema } from '../catalog/schemas.ts'
import { freeCallsADay } from './trials.ts'

/** A tool for an operation. Its name is the operation's path, unless the operation names its tool. */
export interface SoldTool {
  name: string
  origin: OpenOrigin
  operation: Operation
}

export const toolName = ({ path, tool }: Pick<Operation, 'path' | 'tool'>): string =>
  tool ?? path.slice(1).replaceAll('/', '_')

export const soldBy = (origins: readonly OpenOrigin[]): SoldTool[] =>
  origins.flatMap(origin =>
    origin.operations.map(operation => ({ name: toolName(operation), origin, operation })),
  )

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }

const payment = {
  description:
    'The x402 payment for this call: a PaymentPayload object, or its base64 text. Leave it out to be told the price.',
  anyOf: [{ type: 'object' }, { type: 'string' }],
}

/**
 * Declares no outputSchema: clients check every result against it, and the answer to an unpaid call would not fit. So the fields of
 * the answer stand in `_meta`.
 */
export function priced({ name, operation, origin }: SoldTool): Tool {
  const { title, about, price, request, response, example, trial, holdsSecret } = operation
  const { properties = {}, ...schema } = jsonSchema(request, 'input')
  const free = trial ? `; ${freeCallsADay} calls a day of such tools are free` : ''
  return {
    name,
    title,
    description: `${about} Paid: ${price} USDC a call${free}. A failed call is free.`,
    inputSchema: { ...schema, type: 'object', properties: { ...properties, payment } } as Tool['inputSchema'],
    // An answer with a secret belongs to something that the call has made, such as a subscription or a crawl.
    annotations: {
      title,
      ...annotations,
      ...(holdsSecret && { readOnlyHint: false, idempotentHint: false }),
    },
    _meta: {
      'x402/price': { amount: price, currency: 'USDC' },
      examples: [example.request],
      'farebox/answer': atTheTop(jsonSchema(response)),
      'farebox/openapi': `${origin.url}/openapi.json`,
      ...(trial && { 'farebox/free-calls-a-day': freeCallsADay }),
    },
  }
}

/** Clients keep the whole list in memory, and some refuse a long one. So the meaning of fields stands in OpenAPI only. */
const atTheTop = ({ properties = {} }: ReturnType<typeof jsonSchema>) => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties as Record<string, { type?: string }>).map(([name, { type }]) => [
      name,
      type ? { type } : {},
    ]),
  ),
})

const nothing = { type: 'object' as const, properties: {}, additionalProperties: false }
const known = { ...annotations, openWorldHint: false }

/** Free tools about the service. */
export const aboutUs: Tool[] = [
  {
    name: 'get_service_info',
    title: 'What is sold, and how to pay',
    description:
      'Tells how the service fares, what each tool costs, on which networks it is paid, and what is promised. Free.',
    inputSchema: nothing,
    annotations: { title: 'What is sold, and how to pay', ...known },
  },
  {
    name: 'try_it_free',
    title: 'Try it without a wallet',
    description:
      'Shows a question with its answer as it was really given, and how many free calls you have left today for which tools. Free, and uses up none of them.',
    inputSchema: nothing,
    annotations: { title: 'Try it without a wallet', ...known },
  },
]
