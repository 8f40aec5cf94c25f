/** Reads the environment. Everything is checked before anything opens. */

import type { Nodes } from '../../pipelines/domains/chain/open.ts'
import { rates, upstreams } from '../../pipelines/index.ts'
import { type SearchApi, searchApis } from '../../pipelines/lookups/search.ts'
import { chainNames, chains, publicNodeOf } from '../../schemas/tables/chains.ts'
import { type NetworkName, networks, rpcVariables } from '../../schemas/tables/networks.ts'
import type { OpenOrigin, Origin } from '../offer/origin.ts'
import { origins } from '../origins/index.ts'
import {
  byVariable,
  type Environment,
  environmentOf,
  forEach,
  type RpcVariable,
  roles,
  rowOf,
} from './environment.ts'
import { environmentOfProcess } from './process-environment.ts'

export interface Config extends Omit<Environment, RpcVariable>, Record<RpcVariable, readonly string[]> {
  PUBLIC_URL: string
  MCP_URL: string
  /** Every origin of the code. ORIGINS says which of them this process sells. */
  origins: readonly OpenOrigin[]
  LOG_URL: string
  STORE_URL: string
  /** The address of each upstream, by its variable. */
  upstreams: Readonly<Record<string, string>>
  /** This process's share of each rate, by its variable. */
  shares: Readonly<Record<string, number>>
  /** The nodes of each chain that is read for callers. */
  chainNodes: Nodes
}

/** A bad value stops the start with one line: the variable, its value, and the value that it should have. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const secret = /TOKEN|SECRET|PASSWORD|SIGNER_KEY|WEIGH_KEY|ATTEST_(LOG_)?KEY$|OTLP_HEADERS/
const withoutPassword = (text = '') => text.replace(/:\/\/.*@/, '://…@')

/** The URL of a process that listens there. An IPv6 address needs brackets. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

export function readConfig(env = environmentOfProcess(), built: readonly Origin[] = origins): Config {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = environmentOf(built).safeParse(set)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => {
      const name = String(issue.path[0])
      const held = secret.test(name) ? 'something else' : JSON.stringify(withoutPassword(set[name]))
      return `${name} is ${held}; it should be ${issue.message}`
    })
    throw new ConfigError([...new Set(lines)].join('\n'))
  }
  const config = parsed.data
  const publicUrl = config.PUBLIC_URL ?? urlOf(config.HOST, config.PORT)
  const addresses = config as Record<string, unknown> as Record<Origin['address'], string | undefined>
  const read = config as Record<string, unknown>
  const complete: Config = {
    ...config,
    PUBLIC_URL: publicUrl,
    MCP_URL: config.MCP_URL ?? publicUrl,
    origins: built.map(origin => ({ ...origin, url: addresses[origin.address] ?? publicUrl })),
    LOG_URL: config.LOG_URL ?? `sqlite:${config.DATA_DIR}/log.db`,
    STORE_URL: config.STORE_URL ?? `embedded:${config.DATA_DIR}/clickhouse`,
    ...forEach(rpcVariables, name => config[name] ?? [publicNode(name, config.NETWORKS)]),
    upstreams: {
      ...byVariable(upstreams, ({ variable }) => read[variable] as string),
      ...(set.SEARCH_URL ? {} : searchUrlOf(config)),
    },
    shares: byVariable(rates, ({ variable }) => read[variable] as number),
    chainNodes: chainNodesOf(config),
  }
  checkTogether(complete)
  return complete
}

/** Where several networks share the variable, this is the public node of the one that is sold on. */
function publicNode(variable: RpcVariable, opened: readonly NetworkName[]): string {
  const name = opened.find(each => networks[each].rpc === variable)
  return (name ? networks[name] : rowOf(variable)).publicNode.url
}

/** Nodes of the operator's own are asked faster than a public one, which everybody shares. */
const ownPerSecond = 100

function chainNodesOf(config: Partial<Record<string, unknown>>): Nodes {
  return Object.fromEntries(
    chainNames.flatMap(name => {
      const urls = config[chains[name].rpc] as readonly string[] | undefined
      if (urls) return [[name, { urls, perSecond: ownPerSecond }]]
      const node = publicNodeOf(name)
      return node ? [[name, { urls: [node.url], perSecond: node.perSecond }]] : []
    }),
  )
}

/** The address of web search, where the operator has named none. */
function searchUrlOf({ SEARCH_API: api }: Pick<Environment, 'SEARCH_API'>): { SEARCH_URL?: string } {
  if (!api) return {}
  const { live } = searchApis[api] as SearchApi
  if (live === undefined)
    throw new ConfigError(`SEARCH_URL is unset; it should be the address of your ${api}`)
  return { SEARCH_URL: live }
}

/** The others have no need of it, and so they need not be able to get there. */
export const usesStore = ({ ROLES }: Pick<Config, 'ROLES'>): boolean =>
  ROLES.some(role => role !== 'meter' && role !== 'render')

function checkTogether(config: Config): void {
  const allRoles = config.ROLES.length === roles.length
  if (!allRoles && usesStore(config) && config.STORE_URL.startsWith('embedded:'))
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be all of ${roles.join(',')} while STORE_URL is embedded:, because one process owns the engine`,
    )
  if (!allRoles && config.LOG_URL.startsWith('sqlite:'))
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be all of ${roles.join(',')} while LOG_URL is sqlite:, because one process owns the log`,
    )
  if (config.STORE_CLUSTER && config.STORE_URL.startsWith('embedded:'))
    throw new ConfigError(
      `STORE_CLUSTER is "${config.STORE_CLUSTER}"; it should be unset while STORE_URL is embedded:, because that engine is alone`,
    )
  if (Boolean(config.SUMMARY_URL) !== Boolean(config.SUMMARY_MODEL))
    throw new ConfigError(
      `${config.SUMMARY_URL ? 'SUMMARY_MODEL' : 'SUMMARY_URL'} is unset; SUMMARY_URL and SUMMARY_MODEL should be set together`,
    )
  if (Boolean(config.CDP_API_KEY_ID) !== Boolean(config.CDP_API_KEY_SECRET))
    throw new ConfigError(
      `${config.CDP_API_KEY_ID ? 'CDP_API_KEY_SECRET' : 'CDP_API_KEY_ID'} is unset; CDP_API_KEY_ID and CDP_API_KEY_SECRET should be set together`,
    )
}

/** The origins that this process sells. */
export const sold = ({ ORIGINS, origins }: Config): readonly OpenOrigin[] =>
  origins.filter(({ name }) => ORIGINS.includes(name))

/** The settings that only selling needs. They are required only where the query role runs. */
export interface SaleConfig {
  facilitatorUrl: string
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
  if (!config.FACILITATOR_URL)
    throw new ConfigError('FACILITATOR_URL is unset; it should be the address of an x402 facilitator')
  return { facilitatorUrl: config.FACILITATOR_URL, payTo }
}
