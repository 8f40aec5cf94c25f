/** Reads the environment, and checks all of it before anything opens. */

import { publicNode, type RpcVariable } from '../../pipelines/domains/payments/variables.ts'
import { rates, upstreams } from '../../pipelines/index.ts'
import { forEach } from '../../pipelines/rails/environment/kinds.ts'
import { serviceRoles } from '../../pipelines/rails/environment/roles.ts'
import { isSecret, withSecretFiles } from '../../pipelines/rails/environment/secrets.ts'
import {
  ConfigError,
  type Environment,
  together,
  type Variables,
} from '../../pipelines/rails/environment/variables.ts'
import { logVariables, sqliteIn } from '../../pipelines/rails/log/variables.ts'
import { type NetworkName, networks, rpcVariables } from '../../schemas/tables/networks.ts'
import { canaryVariables } from '../canary/variables.ts'
import type { OpenOrigin, Origin } from '../offer/origin.ts'
import { origins } from '../origins/index.ts'
import { filesIn, originsOf } from '../sell/files.ts'
import { addressesOf, type FacilitatorAddress } from '../till/facilitator/addresses.ts'
import { byVariable, declaredIn, environmentOf, type Values } from './environment.ts'
import { environmentOfProcess } from './process-environment.ts'

export interface Config extends Omit<Values, RpcVariable>, Record<RpcVariable, readonly string[]> {
  PUBLIC_URL: string
  MCP_URL: string
  /** Every origin of the code, and of the files that SELL names. ORIGINS chooses those that this process sells. */
  origins: readonly OpenOrigin[]
  LOG_URL: string
  STORE_URL: string
  /** The address of each upstream, by its variable. */
  upstreams: Readonly<Record<string, string>>
  /** This process's share of each rate, by its variable. */
  shares: Readonly<Record<string, number>>
  addressOf: Environment['addressOf']
  /** Reads the variables of a part. */
  read<T>(variables: Variables<T>): T
}

const withoutPassword = (text = '') => text.replace(/:\/\/.*@/, '://…@')
/** Wrong values are short, unless they are addresses. A key that stands in the wrong variable, or in the wrong form, is long. */
const longestShown = 43
const longestNoAddress = 20
const hasAddress = /URL|RPC/
const isAddress = /^[\w+.-]+:\/\//

function shownOf(name: string, value = ''): string {
  const most = hasAddress.test(name) ? longestNoAddress : longestShown
  const isHidden = isSecret(name) || (!isAddress.test(value) && value.length > most)
  return isHidden ? 'something else' : JSON.stringify(withoutPassword(value))
}

/** The URL of a process that listens at this host. An IPv6 address needs brackets. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

export function readConfig(env = environmentOfProcess(), given: readonly Origin[] = origins): Config {
  const filled = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const built = [...given, ...soldByFiles(filled, given)]
  const all = environmentOf(built)
  const set = withSecretFiles(filled, Object.keys(all.shape))
  const parsed = all.safeParse(set)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => {
      const name = String(issue.path[0])
      return `${name} is ${shownOf(name, set[name])}; it should be ${issue.message}`
    })
    throw new ConfigError([...new Set(lines)].join('\n'))
  }
  const config = parsed.data
  const publicUrl = config.PUBLIC_URL ?? urlOf(config.HOST, config.PORT)
  const read = config as Record<string, unknown>
  const open = built.map(origin => {
    const { address, unset = address } = origin
    return { ...origin, url: (read[address] ?? read[unset] ?? publicUrl) as string }
  })
  const environment: Environment = {
    set,
    roles: config.ROLES,
    dataDir: config.DATA_DIR,
    addressOf: wanted => open.find(({ name }) => name === wanted)?.url ?? publicUrl,
  }
  const complete: Config = {
    ...config,
    PUBLIC_URL: publicUrl,
    MCP_URL: config.MCP_URL ?? publicUrl,
    origins: open,
    LOG_URL: config.LOG_URL ?? sqliteIn(config.DATA_DIR),
    STORE_URL: config.STORE_URL ?? `embedded:${config.DATA_DIR}/clickhouse`,
    ...forEach(rpcVariables, name => config[name] ?? [publicNode(name, config.NETWORKS)]),
    upstreams: byVariable(
      upstreams,
      ({ variable, liveBy }) => (set[variable] === undefined && liveBy?.(set)) || (read[variable] as string),
    ),
    shares: byVariable(rates, ({ variable }) => read[variable] as number),
    addressOf: environment.addressOf,
    read(variables) {
      const missing = Object.keys(variables.shape).find(name => !(name in all.shape))
      // A variable that no part declares is in no document for operators.
      if (missing) throw new Error(`${missing} is read, and no part declares it`)
      return variables.read(environment)
    },
  }
  checkTogether(complete)
  return complete
}

/** The origins of the files that SELL names. */
function soldByFiles(set: Environment['set'], given: readonly Origin[]): Origin[] {
  const { shape } = environmentOf(given)
  const { success, data: roles = [] } = shape.ROLES.safeParse(set.ROLES)
  const asks = !success || roles.includes('query')
  return originsOf(filesIn(set.SELL), given, {
    ...{ set, asks },
    isOurs: variable => Object.hasOwn(shape, variable),
  })
}

/** Lets every part read its variables, so that a wrong value is reported before anything opens. */
export function checkParts({ read, origins }: Config): void {
  for (const variables of [logVariables, canaryVariables, ...declaredIn(origins)]) read(variables)
}

/** The other roles do not use the store, so they need no way to it. */
export const usesStore = ({ ROLES }: Pick<Config, 'ROLES'>): boolean =>
  ROLES.some(role => !['meter', 'render', 'settle', 'canary'].includes(role))

function checkTogether(config: Config): void {
  const isCanary = config.ROLES.includes('canary')
  if (isCanary && config.ROLES.length > 1)
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be canary alone, or without canary, because the canary buys from outside the process that sells`,
    )
  const allRoles = config.ROLES.length === serviceRoles.length
  if (!allRoles && usesStore(config) && config.STORE_URL.startsWith('embedded:'))
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be all of ${serviceRoles.join(',')} while STORE_URL is embedded:, because one process owns the engine`,
    )
  if (!allRoles && !isCanary && config.LOG_URL.startsWith('sqlite:'))
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be all of ${serviceRoles.join(',')} while LOG_URL is sqlite:, because one process owns the log`,
    )
  if (config.STORE_CLUSTER && config.STORE_URL.startsWith('embedded:'))
    throw new ConfigError(
      `STORE_CLUSTER is "${config.STORE_CLUSTER}"; it should be unset while STORE_URL is embedded:, because that engine is alone`,
    )
  together(config, 'CDP_API_KEY_ID', 'CDP_API_KEY_SECRET')
}

/** The origins that this process sells. */
export const sold = ({ ORIGINS, origins }: Config): readonly OpenOrigin[] =>
  origins.filter(({ name }) => ORIGINS.includes(name))

/** The settings for selling. They are required only for the query role. */
export interface SaleConfig {
  facilitators: readonly FacilitatorAddress[]
  payTo: { name: NetworkName; address: string }[]
}

export function saleConfig(config: Config): SaleConfig {
  const payTo = config.NETWORKS.map(name => {
    const { payTo: variable, title } = networks[name]
    const address = config[variable]
    if (!address)
      throw new ConfigError(
        `${variable} is unset; it should be the address that is paid on ${title} (or leave ${name} out of NETWORKS)`,
      )
    return { name, address }
  })
  return { facilitators: addressesOf(config, config.NETWORKS), payTo }
}
