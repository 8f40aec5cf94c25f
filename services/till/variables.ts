/** The variables of the till: its facilitators, and the memory for sales. */
import { forEach, httpUrls, positive, text } from '../../pipelines/rails/environment/kinds.ts'
import {
  facilitatorVariableOf,
  facilitatorVariables,
  type NetworkName,
  networkNames,
  networks,
} from '../../schemas/tables/networks.ts'

/** The token of the first address has no number. */
export const tokenVariables = [
  'FACILITATOR_TOKEN_2',
  'FACILITATOR_TOKEN_3',
  'FACILITATOR_TOKEN_4',
  'FACILITATOR_TOKEN_5',
  'FACILITATOR_TOKEN_6',
] as const
/** Each has its own connections, its own series of metrics, and is asked each minute what it supports. */
export const mostFacilitators = tokenVariables.length + 1

/** In the place of an address: this process settles. */
export const self = 'self'

const addresses = httpUrls('addresses of x402 facilitators', self)
  .refine(urls => new Set(urls).size === urls.length, 'a list that names no facilitator twice')
  .refine(urls => urls.length <= mostFacilitators, `a list of ${mostFacilitators} facilitators at most`)
  .optional()

/** The network and its test network share the variable. The main network comes first. */
const titleOf = (variable: string): string =>
  networks[networkNames.find(name => facilitatorVariableOf(name) === variable) as NetworkName].title

export const tillVariables = {
  FACILITATOR_URL: addresses.describe(
    'the x402 facilitators, in order, separated by commas; required for the query role: [Facilitators](#facilitators); `self`: [this process](#settling-by-yourself)',
  ),
  ...forEach(facilitatorVariables, name =>
    addresses.describe(`those of ${titleOf(name)} alone, in place of \`FACILITATOR_URL\``),
  ),
  FACILITATOR_TOKEN: text('a bearer token').optional().describe('a bearer token for the first of them alone'),
  ...forEach(tokenVariables, name =>
    text('a bearer token')
      .optional()
      .describe(`the same for number ${name.replace('FACILITATOR_TOKEN_', '')}`),
  ),
  CDP_API_KEY_ID: text('the id of a CDP key')
    .optional()
    .describe('together with the next one, in place of a token, for `api.cdp.coinbase.com` alone'),
  CDP_API_KEY_SECRET: text('the secret of a CDP key').optional().describe('together with the one above'),
  SALES_MB: positive('a number of megabytes, above 0')
    .optional()
    .describe(
      'memory for sales under way, in MB: [Sales under way](#sales-under-way); an eighth of what the process may use if unset',
    ),
}
