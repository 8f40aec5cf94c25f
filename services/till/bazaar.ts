/** The extensions of a quote. They tell catalogs and clients how to ask, the form of the answer, and the extensions that work. */
import { z } from 'zod'
import type { SaleItem } from './till.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'

export function bazaar({ request, example }: SaleItem, withExample: boolean) {
  const { $schema: _, ...body } = z.toJSONSchema(request, { io: 'input' })
  return {
    info: {
      input: { type: 'http', method: 'POST', bodyType: 'json', body: example.request },
      output: { type: 'json', ...(withExample ? { example: example.response } : {}) },
    },
    schema: {
      $schema: draft,
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: ['POST'] },
            bodyType: { type: 'string', enum: ['json'] },
            body,
          },
          required: ['type', 'method', 'bodyType', 'body'],
          additionalProperties: false,
        },
        output: {
          type: 'object',
          properties: { type: { type: 'string' }, example: { type: 'object' } },
          required: ['type'],
        },
      },
      required: ['input'],
    },
  }
}

export const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: draft,
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
    },
    required: ['required'],
  },
}
