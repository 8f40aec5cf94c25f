/** The variables of refunds: the keys that pay them, and how much a day. */
import { z } from 'zod'
import {
  families,
  isEvm,
  type NetworkName,
  networks,
  payToVariables,
  refundKeyOf,
  refundKeyVariables,
  settleKeyOf,
} from '../../../schemas/tables/networks.ts'
import { evmAddress } from '../../domains/chain/evm/address.ts'
import { svmAddress } from '../../domains/chain/svm/address.ts'
import { addressOfKey, keyFormOf } from '../../domains/payments/account-key.ts'
import { atomsOf } from '../../domains/payments/atoms.ts'
import { networkVariables } from '../../domains/payments/variables.ts'
import { forEach, positive, text, usdcAmount } from '../../rails/environment/kinds.ts'
import { serviceRoles } from '../../rails/environment/roles.ts'
import { ConfigError, defineVariables, type Environment } from '../../rails/environment/variables.ts'
import { signerVariables } from '../../rails/signing/variables.ts'
import { type RefundRule, rulesIn } from './rules.ts'

interface RefundKey {
  name: NetworkName
  key: string
  rpcUrls: readonly string[]
  /** What is paid to others is nothing of ours to give back, whatever a settlement says. */
  payTo: string | undefined
}

interface RefundConfig {
  keys: readonly RefundKey[]
  /** In the smallest unit of USDC. */
  aDay: bigint
  mostGwei: number | undefined
  /** Addresses of earlier keys, of every kind of chain. */
  former: readonly string[]
  rules: readonly RefundRule[]
  signerKey: string | undefined
}

export const refundVariables = defineVariables(
  {
    ...forEach(refundKeyVariables, variable => {
      const { fits, words, title } = keyFormOf(variable, refundKeyOf)
      return z
        .string()
        .refine(fits, words)
        .optional()
        .describe(`the key that pays refunds and their fees on ${title}: [Money back](#money-back)`)
    }),
    REFUND_USDC_A_DAY: usdcAmount()
      .default('10')
      .describe('the most that all refunds of a UTC day may take, in USDC'),
    REFUND_MOST_GWEI: positive('a number of gwei, above 0')
      .optional()
      .describe(
        'the most that a unit of gas may cost for refunds; while it costs more, they wait. If unset, each network has its own (`schemas/tables/networks.ts`)',
      ),
    REFUND_FORMER: z
      .string()
      .transform(listed => listed.split(',').map(address => address.trim()))
      .refine(
        listed => listed.every(one => 'address' in evmAddress(one) || 'address' in svmAddress(one)),
        'a list of addresses, separated by commas',
      )
      .default([])
      .describe(
        'the addresses of earlier keys that paid refunds, separated by commas: what they have paid is looked for, if the log has forgotten it',
      ),
    REFUND_RULES: text('a file of rules')
      .optional()
      .describe('a file of rules for refunds that nobody orders one by one: [Money back](#money-back)'),
    ...signerVariables,
  },
  (values, environment): RefundConfig => {
    checkRoles(environment)
    const keys = networkVariables.read(environment).flatMap(({ name, rpcUrls, payTo }) => {
      const key = values[refundKeyOf(name)]
      if (key) checkKey(name, key, environment)
      return key ? [{ name, key, rpcUrls, payTo }] : []
    })
    return {
      ...{ keys, aDay: atomsOf(values.REFUND_USDC_A_DAY), mostGwei: values.REFUND_MOST_GWEI },
      former: values.REFUND_FORMER,
      rules: rulesIn(values.REFUND_RULES),
      signerKey: values.SIGNER_KEY?.[0],
    }
  },
)

/** The accounts that pay refunds on a network, or have paid them. */
export const refundAccounts = (
  { keys, former }: Pick<RefundConfig, 'keys' | 'former'>,
  network: NetworkName,
): string[] => [
  ...keys.flatMap(({ name, key }) => (name === network ? [addressOfKey(name, key)] : [])),
  ...former.filter(address => families[networks[network].family].address.test(address)),
]

/** Whether this is the address of a key that pays refunds here. No file of prices may name it as a payee. */
export const paysBack = ({ keys }: Pick<RefundConfig, 'keys'>, address: string): boolean =>
  keys.some(({ name, key }) => addressOfKey(name, key) === (isEvm(name) ? address.toLowerCase() : address))

/** A process that strangers talk to holds no key for refunds, unless it is the only one. */
function checkRoles({ set, roles: own }: Environment): void {
  const variable = refundKeyVariables.find(name => set[name])
  if (
    variable &&
    own.length < serviceRoles.length &&
    !own.every(role => role === 'ingest' || role === 'sink')
  )
    throw new ConfigError(
      `${variable} is set; it should be unset where ROLES is "${own.join(',')}": only the role ingest pays refunds`,
    )
}

/** What callers have paid must be out of its reach. A key for fees numbers its own transactions, and nobody else may. */
function checkKey(name: NetworkName, key: string, { set }: Environment): void {
  const address = addressOfKey(name, key)
  const isOwn = (other = '') => (isEvm(name) ? other.toLowerCase() : other) === address
  const payee = payToVariables.find(variable => isOwn(set[variable]))
  if (payee)
    throw new ConfigError(
      `${refundKeyOf(name)} is the key of ${payee}; it should be a key that holds what refunds take and nothing else`,
    )
  const fees = (set[settleKeyOf(name)] ?? '').split(',').map(one => one.trim())
  if (fees.some(one => one !== '' && one.toLowerCase() === key.toLowerCase()))
    throw new ConfigError(`${refundKeyOf(name)} is ${settleKeyOf(name)} too; it should be a key of its own`)
}
