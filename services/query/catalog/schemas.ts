/** The schema of the body of every error, and the conversion of zod types to JSON Schema. */
import { z } from 'zod'

export const errorSchema = z.strictObject({
  error: z.string().describe('A code that does not change'),
  message: z.string().describe('Plain English, ending in "Nothing was charged."'),
  charged: z.literal(false).nullable().describe('null only with payment_unknown'),
})

interface JsonSchema {
  properties?: Record<string, object>
  required?: string[]
}

export const jsonSchema = (type: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return schema as JsonSchema
}
