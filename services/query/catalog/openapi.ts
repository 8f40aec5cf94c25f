/** OpenAPI 3.1, derived from the operations: what agents and registries read. */
import { z } from 'zod'
import { errors } from '../../errors.ts'
import type { Operation } from '../../operation.ts'
import { receipt } from '../../till/receipt.ts'

export interface ApiInfo {
  publicUrl: string
  contact: string
  version: string
}

export const errorSchema = z.strictObject({
  error: z.string().describe('A code that does not change'),
  message: z.string().describe('Plain English, ending in "Nothing was charged."'),
  charged: z.literal(false).nullable().describe('null only with payment_unknown'),
})

export const jsonSchema = (type: z.ZodType, io: 'input' | 'output' = 'output') => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return schema
}

const guidance =
  'Every operation is a POST. Call it without payment: 402 with the price in PAYMENT-REQUIRED (x402 v2, USDC on Base or Solana). Repeat the same request with PAYMENT-SIGNATURE: 200 with the answer and a receipt. Send an Idempotency-Key (8 to 128 visible ASCII characters) to have the paid answer again for 10 minutes without paying again. Any answer that is not 200 is free.'

export function openapi(operations: readonly Operation[], { publicUrl, contact, version }: ApiInfo) {
  const contactField = contact.includes('@') ? { email: contact } : { url: contact }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox',
      version,
      description:
        'Public data sold by the call, paid in USDC over x402. No account, no key; a failed call is free.',
      contact: contactField,
      'x-guidance': guidance,
    },
    servers: [{ url: publicUrl }],
    'x-agentcash-guidance': { llmsTxtUrl: `${publicUrl}/llms.txt` },
    paths: Object.fromEntries(operations.map(operation => [operation.path, { post: describe(operation) }])),
    components: { schemas: { Error: jsonSchema(errorSchema), Receipt: jsonSchema(receipt) } },
  }
}

function describe(operation: Operation) {
  return {
    operationId: operation.id,
    summary: operation.title,
    description: operation.about,
    tags: operation.tags,
    security: [],
    'x-payment-info': {
      price: { mode: 'fixed', currency: 'USD', amount: operation.price },
      protocols: [{ x402: {} }],
    },
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        schema: { type: 'string', minLength: 8, maxLength: 128 },
        description: 'The paid answer is given again for 10 minutes to the same key, path and body',
      },
    ],
    requestBody: {
      required: false,
      content: {
        'application/json': {
          schema: jsonSchema(operation.request, 'input'),
          example: operation.example.request,
        },
      },
    },
    responses: {
      200: {
        description: 'The answer, with its receipt; the settlement is in PAYMENT-RESPONSE',
        content: {
          'application/json': { schema: withReceipt(operation), example: operation.example.response },
        },
      },
      402: { description: 'Payment required: the quote is in PAYMENT-REQUIRED and mirrored in the body' },
      ...refusalsByStatus(operation),
    },
  }
}

function withReceipt(operation: Operation) {
  const schema = jsonSchema(operation.response) as { properties?: object; required?: string[] }
  return {
    ...schema,
    properties: { ...schema.properties, receipt: { $ref: '#/components/schemas/Receipt' } },
    required: [...(schema.required ?? []), 'receipt'],
  }
}

/** The statuses of SPEC 7, each with the codes that it can carry here: the operation's own first. */
function refusalsByStatus({ refusals }: Operation) {
  const shared = Object.entries(errors).map(([code, [status, about]]) => [code, { status, about }] as const)
  const all = [...Object.entries(refusals), ...shared]
  const statuses = [400, 409, 413, 415, 422, 429, 431, 500, 502, 503]
  return Object.fromEntries(
    statuses.flatMap(status => {
      const codes = all.filter(([, refusal]) => refusal.status === status)
      if (!codes.length) return []
      const description = codes.map(([code, { about }]) => `\`${code}\`: ${about}`).join('. ')
      const schema = { $ref: '#/components/schemas/Error' }
      return [[status, { description: `${description}. Free.`, content: { 'application/json': { schema } } }]]
    }),
  )
}
