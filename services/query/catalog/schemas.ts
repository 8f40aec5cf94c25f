/** The schema of the body of every error, and the conversion of zod types to JSON Schema. */
import { z } from 'zod'

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
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return schema as JsonSchema
}
