/** The settings for settling by ourselves. Only the role `settle` has them. */
import { weiIn } from '../../pipelines/domains/payments/evm/fees.ts'
import { evmAccountOf } from '../../pipelines/domains/payments/evm/sender.ts'
import { feePayerOf } from '../../pipelines/domains/payments/svm/sponsored.ts'
import { serviceRoles } from '../../pipelines/rails/environment/roles.ts'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import {
  isEvm,
  type NetworkName,
  networks,
  payToVariables,
  settleKeyOf,
  settleKeyVariables,
} from '../../schemas/tables/networks.ts'
import type { payeesOf } from '../offer/payees.ts'
import { isAlone, namesSelf } from '../till/facilitator/addresses.ts'
import { self } from '../till/variables.ts'
import type { Config, SaleConfig } from './config.ts'

export interface SettleConfig {
  networks: {
    name: NetworkName
    keys: readonly string[]
    payTo: string
    rpcUrls: readonly string[]
    /** The most that a unit of gas may cost, in wei. */
    mostFee: bigint
  }[]
  host: string
  port: number
  token: string | undefined
}

const isLoopback = (host: string) => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)

/** Undefined: this process settles nothing. Throws a ConfigError before anything opens. */
export function settleConfig(config: Config): SettleConfig | undefined {
  checkRoles(config)
  if (!config.ROLES.includes('settle')) return undefined
  const open = config.NETWORKS.flatMap(name => {
    const keys = config[settleKeyOf(name)]
    if (!keys) return []
    const [payTo, rpcUrls] = [payeeOf(config, name), config[networks[name].rpc]]
    return [{ name, keys, payTo, rpcUrls, mostFee: mostFeeOf(config, name) }]
  })
  for (const { name, keys } of open) checkKeys(config, name, keys)
  if (namesSelf(config)) checkWhole(config)
  if (open.length === 0) {
    if (config.ROLES.length < serviceRoles.length)
      throw new ConfigError(
        `${settleKeyVariables.join(', ')} are unset; the role settle should have one of them`,
      )
    return undefined
  }
  const { SETTLE_HOST: host, SETTLE_PORT: port, SETTLE_TOKEN: token } = config
  if (!token && !isLoopback(host))
    throw new ConfigError('SETTLE_TOKEN is unset; it should be set while others can reach SETTLE_HOST')
  return { networks: open, host, port, token }
}

/** The sale with the address of our own facilitator in its place. It gets its own token. */
export const ownNamed = (sale: SaleConfig, url: string | undefined, token?: string): SaleConfig => ({
  ...sale,
  facilitators: sale.facilitators.map(each =>
    each.url === self ? { ...each, url: url as string, token } : each,
  ),
})

/** A process that strangers talk to holds no key for fees, unless it is the only one. */
function checkRoles(config: Config): void {
  const isWhole = config.ROLES.length === serviceRoles.length
  const set = settleKeyVariables.find(name => config[name])
  const settles = config.ROLES.includes('settle')
  if (set && !isWhole && (!settles || config.ROLES.length > 1))
    throw new ConfigError(
      `${set} is set; it should be unset where ROLES is "${config.ROLES.join(',')}": one process has all roles, or settle alone has the keys`,
    )
  if (!settles && namesSelf(config))
    throw new ConfigError(
      'FACILITATOR_URL is "self"; it should name the address of the process with the role settle, which this one has not',
    )
}

function checkWhole(config: Config): void {
  const without = config.NETWORKS.find(name => isAlone(config, name) && !config[settleKeyOf(name)])
  if (without)
    throw new ConfigError(
      `${settleKeyOf(without)} is unset; it should be a key that pays fees on ${networks[without].title} (or leave ${without} out of NETWORKS)`,
    )
}

function mostFeeOf({ SETTLE_MOST_GWEI: given }: Config, name: NetworkName): bigint {
  return weiIn(given ?? (isEvm(name) ? networks[name].mostGwei : 0))
}

function payeeOf(config: Config, name: NetworkName): string {
  const { payTo, title } = networks[name]
  const address = config[payTo]
  if (!address)
    throw new ConfigError(
      `${payTo} is unset; it should be the address that is paid on ${title}: only payments to it are settled`,
    )
  return address
}

const addressesOfKeys = (name: NetworkName, keys: readonly string[]) =>
  keys.map(key => (isEvm(name) ? evmAccountOf(key).address : feePayerOf(key)?.address))

/** Whether this is the address of a key that pays fees here. No file of prices may name it as a payee. */
export function paysFees({ networks: open }: Pick<SettleConfig, 'networks'>, address: string): boolean {
  const all = open.flatMap(({ name, keys }) => addressesOfKeys(name, keys))
  return all.some(each => each?.toLowerCase() === address.toLowerCase())
}

/** What callers have paid must not lie where fees or refunds are paid from. */
export function checkPayees(
  payees: ReturnType<typeof payeesOf>,
  isForbidden: (address: string) => boolean,
): void {
  for (const [name, payTo] of Object.entries(payees))
    if (Object.values(payTo).some(address => address !== undefined && isForbidden(address)))
      throw new ConfigError(`pay_to of ${name} is the address of a key that pays fees or refunds`)
}

/** What a key for fees loses must never be what callers have paid. */
function checkKeys(config: Config, name: NetworkName, keys: readonly string[]): void {
  const addresses = addressesOfKeys(name, keys)
  for (const variable of payToVariables) {
    const payee = config[variable]
    if (payee && addresses.some(address => address?.toLowerCase() === payee.toLowerCase()))
      throw new ConfigError(
        `${settleKeyOf(name)} is the key of ${variable}; it should be a key that holds nothing but what fees take`,
      )
  }
}
