/** Writes the tables of variables for operators, and the lines of compose that pass the variables on. */

import { chainVariables } from '../../pipelines/domains/chain/variables.ts'
import { networkVariables } from '../../pipelines/domains/payments/variables.ts'
import { lookups } from '../../pipelines/lookups/index.ts'
import type { Role } from '../../pipelines/rails/environment/roles.ts'
import type { Upstream, UpstreamRate } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import { readOnlyVariables } from '../../schemas/tables/chains.ts'
import {
  facilitatorVariables,
  payToVariables,
  rpcVariables,
  settleKeyVariables,
} from '../../schemas/tables/networks.ts'
import { canaryVariables } from '../canary/variables.ts'
import type { Origin } from '../offer/origin.ts'
import { workersOf } from '../origins/index.ts'
import { tokenVariables } from '../till/variables.ts'
import { readConfig } from './config.ts'
import { environmentOf } from './environment.ts'

const heading = ['| variable | default | what |', '|---|---|---|']
const row = (variable: string, value: string, words: string) =>
  `| \`${variable}\` | ${value && `\`${value}\``} | ${words} |`

/** Lists each variable with a description. The variables of upstreams have their own table. */
export function variablesTable(origins: readonly Origin[]): string {
  const defaults: Record<string, unknown> = { ...readConfig({}), ...ofOthers() }
  const { shape } = environmentOf(origins)
  const described = Object.entries(shape).filter(([, { description }]) => description)
  return [
    ...heading,
    ...described.map(([name, { description = '' }]) => row(name, String(defaults[name] ?? ''), description)),
  ].join('\n')
}

/** The defaults that contain other variables. */
function ofOthers() {
  const { PUBLIC_URL, MCP_URL, LOG_URL, STORE_URL } = readConfig({ HOST: '<HOST>', DATA_DIR: '<DATA_DIR>' })
  return { PUBLIC_URL, MCP_URL, LOG_URL, STORE_URL }
}

export function upstreamsTable(upstreams: readonly Upstream[], rates: readonly UpstreamRate[]): string {
  const addresses = upstreams.map(({ variable, live, title, replacedBy }) =>
    row(variable, live, replacedBy ? `${title}; not used while \`${replacedBy}\` is set` : title),
  )
  const shares = rates.map(({ variable, perSecond, of }) =>
    row(
      variable,
      String(perSecond),
      `requests per second to ${of}: the share of this process, of ${perSecond}`,
    ),
  )
  return [...heading, ...addresses, ...shares].join('\n')
}

const passedOn = (variable: string) => `${variable}: \${${variable}:-}`
const demanded = (variable: string, words: string) => `${variable}: \${${variable}:?${words}}`

export const upstreamsEnvironment = (upstreams: readonly Upstream[]): string =>
  upstreams.map(({ variable }) => passedOn(variable)).join('\n')

export const nodesEnvironment = (): string => [...rpcVariables, ...readOnlyVariables].map(passedOn).join('\n')

/** The variables of the parts that these roles open. Those of networks and nodes have lines of their own. */
export function partsEnvironment(origins: readonly Origin[], of: readonly Role[]): string {
  const workers = workersOf(origins).filter(({ role }) => of.includes(role))
  const opened = [...(of.includes('query') ? [...lookups, ...origins] : []), ...workers]
  const names = opened.flatMap(({ variables = [] }) => variables.flatMap(({ shape }) => Object.keys(shape)))
  const others = new Set(Object.keys({ ...networkVariables.shape, ...chainVariables.shape }))
  return [...new Set(names).difference(others)].map(passedOn).join('\n')
}

/** Which wallets are needed depends on NETWORKS, so the service names the one that is missing. */
export const payToEnvironment = (): string => payToVariables.map(passedOn).join('\n')

/** What the role settle needs: keys for fees, the wallets that it settles to, and nodes. */
export const settleEnvironment = (): string =>
  [...settleKeyVariables, ...payToVariables, ...rpcVariables].map(passedOn).join('\n')

/** What the canary needs: wallets, whom it expects to pay, and nodes. */
export const canaryEnvironment = (): string => {
  const own = Object.keys(canaryVariables.shape)
  return [...own, ...payToVariables, ...rpcVariables].map(passedOn).join('\n')
}

export const facilitatorsEnvironment = (): string =>
  [...facilitatorVariables, 'FACILITATOR_TOKEN', ...tokenVariables].map(passedOn).join('\n')

export const addressesEnvironment = (origins: readonly Origin[]): string => {
  const own = new Set(origins.map(({ address }) => address).filter(name => name !== 'PUBLIC_URL'))
  return [demanded('PUBLIC_URL', 'the public address of this service'), ...[...own].map(passedOn)].join('\n')
}
