/** The schemas of 8-K events in answers. */
import { z } from 'zod'
import { figureNames } from '../../../../schemas/sec-events.ts'

export const figuresShape = z
  .array(
    z.strictObject({
      what: z.enum(figureNames),
      value: z.string().describe('As printed, with sign and unit'),
      sentence: z.string(),
    }),
  )
  .describe('Figures that the press release of the report prints')
