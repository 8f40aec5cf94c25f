/** The variables of the facilitator. */
import { httpUrl, text } from '../../pipelines/rails/environment/kinds.ts'

export const tillVariables = {
  FACILITATOR_URL: httpUrl('the address of an x402 facilitator')
    .optional()
    .describe('the x402 facilitator; required for the query role'),
  FACILITATOR_TOKEN: text('a bearer token').optional().describe('a bearer token for it'),
  CDP_API_KEY_ID: text('the id of a CDP key')
    .optional()
    .describe('together with the next one, in place of a token'),
  CDP_API_KEY_SECRET: text('the secret of a CDP key').optional().describe('together with the one above'),
}
