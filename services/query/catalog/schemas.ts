/** The schema of the body of every error, and the conversion of zod types to JSON Schema. */
import { z } from 'zod'
import type { Origin } from '../../offer/origin.ts'
import type { Offered } from './offered.ts'
import type { Schema } from './type-text.ts'

export const errorSchema = z.strictObject({
  error: z.string().describe('A code that does not change'),
  message: z.string().describe('Plain English, ending in what was charged'),
  charged: z
    .boolean()
    .nullable()
    .describe(
      'No error is charged. true: the payment that came with the call was charged before; null: nobody can tell yet, so retry the same payment',
    ),
  kept_until: z
    .string()
    .optional()
    .describe('With payment_already_used: the answer can be had until then; absent: it is kept no longer'),
  extensions: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('With payment_already_used: sign-in-with-x, what the wallet that paid must sign'),
})

interface JsonSchema {
  properties?: Record<string, object>
  required?: string[]
}

export const jsonSchema = (type: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', override: unbounded })
  return schema as JsonSchema
}

/** The bounds of every whole number in JSON say nothing of this one. */
function unbounded({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** The schema of a question or an answer, in which each field has a meaning: its own, or the one that its origin has for the name. */
export function toldSchema(
  offered: Pick<Offered, 'path' | 'request' | 'response'> & { origin: Pick<Origin, 'name' | 'words'> },
  part: 'request' | 'response',
): Schema {
  const schema = jsonSchema(offered[part], part === 'request' ? 'input' : 'output') as Schema
  const { words } = offered.origin
  return words ? told(schema, offered.path.split('/').at(-1) ?? '', words) : schema
}

function told(schema: Schema, parent: string, words: Readonly<Record<string, string>>): Schema {
  const { properties, items, additionalProperties } = schema
  const below = (each: Schema) => told(each, parent, words)
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const description = field.description ?? words[`${parent}.${name}`] ?? words[name]
    return [name, { ...told(field, name, words), ...(description !== undefined && { description }) }]
  })
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(items && { items: below(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: below(additionalProperties) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(below) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(below) }),
    ...(schema.allOf && { allOf: schema.allOf.map(below) }),
  }
}
