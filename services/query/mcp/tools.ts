/** The tools that MCP shows, derived from the operations of the origins. */
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { contractOf, type Operation } from '../../offer/operation.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { priceWords } from '../../offer/tariff.ts'
import { isObject } from '../../till/header.ts'
import { sentence } from '../catalog/offered.ts'
import { jsonSchema, toldSchema } from '../catalog/schemas.ts'
import { onceEach } from '../catalog/shared-schemas.ts'
import { answerSchema, firstSentences, questionSchema } from './brief.ts'
import { freeCallsADay } from './trials.ts'

/** A tool for an operation. Its name is the operation's path, unless the operation names its tool. */
export interface SoldTool {
  name: string
  origin: OpenOrigin
  operation: Operation
}

export const toolName = ({ path, tool }: { path: string; tool?: string | undefined }): string =>
  tool ?? path.slice(1).replaceAll('/', '_')

export const soldBy = (origins: readonly OpenOrigin[]): SoldTool[] =>
  origins.flatMap(origin =>
    origin.operations.map(operation => ({ name: toolName(operation), origin, operation })),
  )

/** What each tool that is sold takes beside its question. Its words stand once, in the instructions: they would fill the list. */
const inBrief = { payment: {}, idempotency_key: {} }
const atLength = {
  payment: {
    description: 'The x402 payment: a PaymentPayload object, or its base64. Absent: you are told the price',
  },
  idempotency_key: {
    type: 'string',
    description:
      '8 to 128 visible characters. The same key and question get the paid answer again for 10 minutes',
  },
  fields: {
    type: 'array',
    items: { type: 'string' },
    description: 'The fields of the answer that you want, as a.b within fields and lists. Absent: all',
  },
}

/**
 * A tool in the list of all. It has no outputSchema: all of them together are longer than the rest. Those of chosen tools, and
 * get_service_info, have it.
 */
export const priced = (tool: SoldTool): Tool => ({
  ...described(tool, briefly(tool.operation), mostExample),
  inputSchema: inputOf(tool.operation, questionSchema(jsonSchema(tool.operation.request, 'input')), inBrief),
})

/**
 * A tool in the list of chosen tools, the most telling first: with everything that is known of it; itself as in the list
 * of all; whole, but without the words about its answer; without both; with the names alone of what its answer has; as in the list of all.
 */
export function tellings(tool: SoldTool): [most: Tool, ...less: Tool[]] {
  const { operation, origin } = tool
  const asked = toldSchema({ ...operation, origin }, 'request')
  const whole = {
    title: operation.title,
    ...described(tool, contractOf(operation)),
    inputSchema: inputOf(operation, questionSchema(asked, false), atLength),
  }
  const answer = answerOf(tool)
  const brief = priced(tool)
  const told = shared(answer)
  const silent = shared(withoutWords(answer))
  return [
    { ...whole, outputSchema: told },
    { ...brief, outputSchema: told },
    { ...whole, outputSchema: silent },
    { ...brief, outputSchema: silent },
    { ...brief, outputSchema: namesOf(answer) },
    brief,
  ]
}

function answerOf({ operation, origin }: SoldTool) {
  const known = answers.get(operation)
  if (known) return known
  const made = answerSchema(toldSchema({ ...operation, origin }, 'response'))
  answers.set(operation, made)
  return made
}

/** Calls ask for them, too. */
const answers = new WeakMap<Operation, ReturnType<typeof answerSchema>>()

const withoutWords = (schema: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(schema), dropWords) as Record<string, unknown>

/** A field may be called description: its value is a schema, and no text. */
const dropWords = (name: string, value: unknown): unknown =>
  name === 'description' && typeof value === 'string' ? undefined : value

const namesOf = ({ properties }: Record<string, unknown>) =>
  ({
    type: 'object',
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.keys(properties).map(name => [name, {}])),
    }),
  }) as Tool['outputSchema']

/** What an answer has many times, such as the points of ten metrics, is written once. */
function shared(schema: Record<string, unknown>): Tool['outputSchema'] {
  const { schemas, written } = onceEach([{ name: '', schema }], '#/$defs/')
  const $defs = Object.keys(schemas).length ? { $defs: schemas } : {}
  return { ...written(''), ...$defs } as Tool['outputSchema']
}

const briefChars = 120
/** A longer example is mostly addresses and texts. It stands in the list of chosen tools, and in get_service_info. */
const mostExample = 90

/** Hosts show a model no title, so the words must do without. */
export const briefly = ({ title, inBrief, about }: Pick<Operation, 'title' | 'inBrief' | 'about'>): string =>
  inBrief ?? `${sentence(title)} ${firstSentences(about, briefChars)}`

function described(
  { name, operation }: SoldTool,
  about: string,
  mostExample = Number.POSITIVE_INFINITY,
): Omit<Tool, 'inputSchema'> {
  const { price, prices, trial, holdsSecret, example } = operation
  const isShown = JSON.stringify(example.request).length <= mostExample
  const free = trial ? `; ${freeCallsADay} a day free` : ''
  return {
    name,
    description: `${about} Paid: ${priceWords(operation)}${free}.`,
    // An answer with a secret belongs to something that the call has made, such as a subscription or a crawl.
    annotations: holdsSecret ? { readOnlyHint: false, destructiveHint: false } : { readOnlyHint: true },
    _meta: {
      'x402/price': { amount: price, currency: 'USDC', ...(prices && { by_network: prices }) },
      ...(isShown && { examples: [example.request] }),
    },
  }
}

function inputOf(
  { ofModels = {} }: Operation,
  { properties, ...schema }: ReturnType<typeof questionSchema>,
  beside: object,
): Tool['inputSchema'] {
  const own = Object.entries(properties).map(([name, asked]) => {
    const usual = ofModels[name]
    return [name, usual === undefined ? asked : { ...asked, default: usual }]
  })
  return { ...schema, type: 'object', properties: { ...Object.fromEntries(own), ...beside } }
}

const aboutUsOnly = { readOnlyHint: true, openWorldHint: false }

export const getServiceInfo: Tool = {
  name: 'get_service_info',
  description:
    'Prices, networks, promises, health. With `tool`: all about that tool, with the schema of its answer and an example. Free.',
  inputSchema: { type: 'object', properties: { tool: { type: 'string' } } },
  annotations: aboutUsOnly,
}

export const tryItFree: Tool = {
  name: 'try_it_free',
  description:
    'A question with its true answer, and how many free calls you have left today for which tools. Uses up none.',
  inputSchema: { type: 'object', properties: {} },
  annotations: aboutUsOnly,
}

/** Free tools about the service. */
export const aboutUs: readonly Tool[] = [getServiceInfo, tryItFree]
