/** The variables of the door: its addresses, and the rates of callers. */
import { z } from 'zod'
import { httpUrl, port, positive, text } from '../../pipelines/rails/environment/kinds.ts'
import { signerVariables } from '../../pipelines/rails/signing/variables.ts'

export const doorVariables = {
  PORT: port.default(8402).describe('the port that it listens on'),
  HOST: text('an address to listen on')
    .default('127.0.0.1')
    .describe('the address that it listens on; `0.0.0.0` in the image'),
  MCP_URL: httpUrl('the address that callers know /mcp by')
    .transform(url => url.replace(/\/mcp$/, ''))
    .optional()
    .describe('the address of the service for MCP clients, without `/mcp`; unset, `PUBLIC_URL`'),
  TRUST_PROXY: z
    .string()
    .transform(given =>
      /^\d+$/.test(given) ? Number(given) : given === 'true' ? true : given === 'false' ? false : given,
    )
    .default(false)
    .describe('the number of proxies in front, or `true`, or their addresses'),
  RATE_LIMIT: positive('a number of requests per minute and caller, above 0')
    .default(600)
    .describe('requests per minute and caller'),
  FREE_CALLS_A_DAY: z
    .string()
    .regex(/^\d{1,9}$/, 'a number of calls, 0 or more')
    .transform(Number)
    .default(2000)
    .describe('free calls per day over MCP, for all callers together; each caller has 3'),
  DOOR_SHAPES: z
    .enum(['0', '1'])
    .default('0')
    .transform(given => given === '1')
    .describe(
      '`1`: of a question that is refused, the names of its fields are counted with the kinds of their values, never a value: `door_unsold`',
    ),
  ...signerVariables,
}
