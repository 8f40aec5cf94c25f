/** The variables of the canary: its wallets, what it buys, how often, and how much a day. */
import { z } from 'zod'
import { addressOfKey, keyFormOf } from '../../pipelines/domains/payments/account-key.ts'
import { networkVariables, type OpenNetwork } from '../../pipelines/domains/payments/variables.ts'
import { forEach, httpUrl, positive, text, usdcAmount } from '../../pipelines/rails/environment/kinds.ts'
import { ConfigError, defineVariables } from '../../pipelines/rails/environment/variables.ts'
import {
  canaryKeyOf,
  canaryKeyVariables,
  families,
  isSameName,
  payToVariables,
} from '../../schemas/tables/networks.ts'
import { atomsOf } from '../client/quote.ts'

export interface CanaryNetwork extends OpenNetwork {
  key: string
}

export interface CanaryConfig {
  networks: readonly CanaryNetwork[]
  /** Where the seller sells. Absent: at the public address of the origin. */
  url: string | undefined
  /** Is the public address of the seller known? */
  isPublic: boolean
  /** The path of the operation. */
  path: string
  /** Absent: whoever signs for the seller by his own word. */
  signer: string | undefined
  everyMs: number
  /** In the smallest unit of USDC. */
  aDay: bigint
}

export const canaryVariables = defineVariables(
  {
    ...forEach(canaryKeyVariables, variable => {
      const { fits, words, title } = keyFormOf(variable, canaryKeyOf)
      return z
        .string()
        .refine(fits, words)
        .optional()
        .describe(`the wallet of the canary on ${title}, with a little USDC: [The canary](#the-canary)`)
    }),
    CANARY_URL: httpUrl('the address that customers know')
      .optional()
      .describe(
        'where the canary buys, if that is not at `PUBLIC_URL`, which its quotes must name all the same',
      ),
    CANARY_CALL: text('the path of an operation')
      .default('/fx')
      .describe('the operation that the canary buys, with the question of its example'),
    CANARY_SIGNER: z
      .string()
      .regex(families.evm.address, families.evm.addressWords)
      .optional()
      .describe(
        'the address that signs the receipts of the seller (`GET /receipts/signer` shows it); if unset, whom the seller names',
      ),
    CANARY_EVERY_MINUTES: positive('a number of minutes, above 0')
      .default(60)
      .describe('how often the canary buys on each network'),
    CANARY_USDC_A_DAY: usdcAmount()
      .default('1')
      .describe('the most that all canaries together spend in a UTC day, in USDC'),
  },
  (values, environment): CanaryConfig | undefined => {
    const { set, roles } = environment
    const keyed = canaryKeyVariables.find(variable => values[variable])
    if (!roles.includes('canary')) {
      if (keyed)
        throw new ConfigError(
          `${keyed} is set; it should be unset where ROLES is "${roles.join(',')}": the canary is a process of its own, which npm run canary starts`,
        )
      return undefined
    }
    const networks = networkVariables.read(environment).flatMap(network => {
      const key = values[canaryKeyOf(network.name)]
      return key ? [{ ...network, key }] : []
    })
    if (networks.length === 0)
      throw new ConfigError(`${canaryKeyVariables.join(', ')} are unset; the canary should have one of them`)
    for (const network of networks) checkKey(network, set)
    if (!values.CANARY_URL && !set.PUBLIC_URL)
      throw new ConfigError('CANARY_URL is unset; it should be the address where the canary buys')
    return {
      networks,
      url: values.CANARY_URL,
      isPublic: set.PUBLIC_URL !== undefined,
      path: values.CANARY_CALL,
      signer: values.CANARY_SIGNER?.toLowerCase(),
      everyMs: values.CANARY_EVERY_MINUTES * 60_000,
      aDay: atomsOf(values.CANARY_USDC_A_DAY),
    }
  },
)

/** A payment to itself would show nothing. */
function checkKey({ name, key }: CanaryNetwork, set: Readonly<Record<string, string | undefined>>): void {
  const address = addressOfKey(name, key)
  const payee = payToVariables.find(variable => isSameName(set[variable] ?? '', address))
  if (payee)
    throw new ConfigError(
      `${canaryKeyOf(name)} is the key of ${payee}; it should be the key of a customer, which holds nothing else`,
    )
}
