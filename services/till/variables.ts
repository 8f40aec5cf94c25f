/** The variables of the till: its facilitator, and the memory for sales. */
import { z } from 'zod'
import { httpUrl, positive, text } from '../../pipelines/rails/environment/kinds.ts'

/** In the place of an address: this process settles. */
export const self = 'self'

export const tillVariables = {
  FACILITATOR_URL: z
    .union([z.literal(self), httpUrl('the address of an x402 facilitator')])
    .optional()
    .describe(
      'the x402 facilitator; required for the query role; `self`: [this process](#settling-by-yourself)',
    ),
  FACILITATOR_TOKEN: text('a bearer token').optional().describe('a bearer token for it'),
  CDP_API_KEY_ID: text('the id of a CDP key')
    .optional()
    .describe('together with the next one, in place of a token'),
  CDP_API_KEY_SECRET: text('the secret of a CDP key').optional().describe('together with the one above'),
  SALES_MB: positive('a number of megabytes, above 0')
    .optional()
    .describe(
      'memory for sales under way, in MB: [Sales under way](#sales-under-way); an eighth of what the process may use if unset',
    ),
}
