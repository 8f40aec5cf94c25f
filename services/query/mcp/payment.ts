/** Payments in MCP: in `_meta` or as an argument of the tool, and the requirements for an unpaid call. */
import { readStrictJson } from '../../../schemas/values/strict-json.ts'
import { withoutEnd } from '../../../schemas/values/text-end.ts'
import { ends, Failure } from '../../offer/errors.ts'
import { contractOf } from '../../offer/operation.ts'
import { priceWords } from '../../offer/tariff.ts'
import { isObject } from '../../till/header.ts'
import type { Presented, Till } from '../../till/till.ts'
import type { ErrorAnswer } from '../call-failures.ts'
import { priced, type SoldTool } from './tools.ts'

export const paymentKey = 'x402/payment'
export const settlementKey = 'x402/payment-response'
/** The same text as the header SIGN-IN-WITH-X. */
export const proofKey = 'x402/sign-in-with-x'
export const idempotencyKey = 'farebox/idempotency-key'
/** MCP's name for W3C's header. */
export const traceKey = 'traceparent'

const resourceOf = (name: string): string => `mcp://tool/${name}`

/** Reads a payment as strictly as the header of a payment. Throws a Failure if it cannot be read. */
export function paymentIn(
  argument: unknown,
  inMeta: unknown,
  name: string,
  till: Till,
): Presented | undefined {
  const [first, second] = [argument, inMeta].filter(given => given !== undefined && given !== null)
  if (first === undefined) return undefined
  if (second !== undefined && encoded(first) !== encoded(second))
    throw new Failure('invalid_payment', 'The payment in the arguments is not the one in _meta')
  const { json } = till.decode(encoded(first))
  const { resource, ...rest } = json
  const url = (resource as { url?: unknown } | undefined | null)?.url ?? resource
  // The till judges any other resource.
  return { json: url === resourceOf(name) ? rest : json }
}

/** Encodes a payment as the header does. */
const encoded = (given: unknown): string => {
  const payment = typeof given === 'string' ? parsed(given.trim()) : given
  if (!isObject(payment) || !isObject(payment.extensions)) return written(payment)
  // Clients echo the whole quote. Our description of the tool in it is long and known to us, so only its presence is kept.
  const { bazaar, ...others } = payment.extensions
  return written({ ...payment, extensions: { ...others, ...(bazaar !== undefined && { bazaar: {} }) } })
}

const written = (payment: unknown): string =>
  typeof payment === 'string' ? payment : Buffer.from(JSON.stringify(payment)).toString('base64')

/** Decodes base64 of an object, or returns the text as it is. */
function parsed(text: string): unknown {
  try {
    const json = readStrictJson(Buffer.from(text, 'base64').toString())
    return typeof json === 'object' && json !== null ? json : text
  } catch {
    // Strangers send anything here. The till refuses it.
    return text
  }
}

/** Decodes the object in a PAYMENT- header. */
export const objectIn = (header: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(header, 'base64').toString())

interface Why {
  /** Why a payment was not accepted. */
  why?: ErrorAnswer | undefined
  /** Why no call is free, as a sentence. */
  noneFree?: string | undefined
}

/** The PaymentRequired of a tool: that of its operation, with the tool as the resource. */
export function requirements(tool: SoldTool, till: Till, { why: refused, noneFree }: Why = {}) {
  const { name, operation } = tool
  const { resource, accepts, extensions } = objectIn(till.quote(operation).header) as {
    resource: object
    accepts: unknown[]
    extensions: object
  }
  const why = refused ? ` Not accepted, ${refused.code}: ${withoutEnd(refused.message, ends)}.` : ''
  const isUnread = refused?.charged === null
  const ending = isUnread ? 'Nobody knows whether what you sent was charged before.' : 'Nothing was charged.'
  const { inputSchema } = priced(tool)
  return {
    x402Version: 2,
    error: `Payment required: ${priceWords(operation)}.${noneFree ? ` ${noneFree}.` : ''}${why} Sign one entry of accepts with an x402 client and call ${name} again with the payment in _meta["${paymentKey}"] or in the argument payment. ${ending}`,
    resource: { ...resource, url: resourceOf(name) },
    accepts,
    extensions: { ...extensions, bazaar: bazaar(tool, inputSchema) },
  }
}

/** A model reads the whole quote, twice. A longer answer is shown by get_service_info. */
const shortExample = 1_000
const isShort = (answer: unknown): boolean => (JSON.stringify(answer)?.length ?? 0) <= shortExample

function bazaar({ name, operation }: SoldTool, inputSchema: object) {
  const { example } = operation
  const info = {
    input: {
      type: 'mcp',
      toolName: name,
      description: contractOf(operation),
      transport: 'streamable-http',
      inputSchema,
      example: example.request,
    },
    output: { type: 'json', ...(isShort(example.response) && { example: example.response }) },
  }
  const text = { type: 'string' }
  const input = {
    type: 'object',
    properties: {
      type: { type: 'string', const: 'mcp' },
      toolName: text,
      description: text,
      transport: text,
      inputSchema: { type: 'object' },
      example: { type: 'object' },
    },
    required: ['type', 'toolName', 'inputSchema'],
    additionalProperties: false,
  }
  const output = { type: 'object', properties: { type: text, example: { type: 'object' } } }
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return { info, schema: { $schema, type: 'object', properties: { input, output }, required: ['input'] } }
}
