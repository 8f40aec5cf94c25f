/** The variables of our own facilitator: the keys that pay fees, where it listens, and what it pays at most. */
import { z } from 'zod'
import { feePayerOf } from '../../../pipelines/domains/payments/svm/sponsored.ts'
import { forEach, isKey, port, positive, text } from '../../../pipelines/rails/environment/kinds.ts'
import { networkNames, networks, settleKeyOf, settleKeyVariables } from '../../../schemas/tables/networks.ts'

const kinds = {
  evm: { fits: isKey, words: 'one or more keys of 0x and 64 hex digits, separated by commas' },
  svm: {
    fits: (one: string) => feePayerOf(one) !== undefined,
    words: 'one or more keys of 64 bytes in base58, separated by commas',
  },
}
/** If networks share a variable, this is the main network, which comes first. */
const rowOf = (variable: string) =>
  networks[networkNames.find(name => settleKeyOf(name) === variable) ?? networkNames[0]]

export const settleVariables = {
  ...forEach(settleKeyVariables, variable => {
    const { family, title } = rowOf(variable)
    const { fits, words } = kinds[family]
    return z
      .string()
      .transform(listed => listed.split(',').map(one => one.trim()))
      .refine(listed => listed.every(fits), words)
      .refine(listed => new Set(listed).size === listed.length, 'a list that names no key twice')
      .optional()
      .describe(
        `keys that pay the fees of settling on ${title} by ourselves, separated by commas: [Settling by yourself](#settling-by-yourself)`,
      )
  }),
  SETTLE_HOST: text('an address to listen on')
    .default('127.0.0.1')
    .describe('where the role `settle` listens'),
  SETTLE_PORT: port
    .default(0)
    .describe('its port; `0`: any free one, which is enough where all roles are one process'),
  SETTLE_TOKEN: text('a bearer token')
    .optional()
    .describe(
      'what callers of the role `settle` must send; required unless `SETTLE_HOST` is this machine alone',
    ),
  SETTLE_MOST_GWEI: positive('a number of gwei, above 0')
    .optional()
    .describe(
      'the most that a unit of gas may cost; while it costs more, nothing is settled here on that network. If unset, each network has its own (`schemas/tables/networks.ts`)',
    ),
}
