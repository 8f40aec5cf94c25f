/** The variables of the networks on which we are paid. */
import { z } from 'zod'
import {
  families,
  mainNetworks,
  type NetworkName,
  networkNames,
  networks,
  payToVariables,
  rpcVariables,
} from '../../../schemas/tables/networks.ts'
import { code, forEach, httpUrls, listOf } from '../../rails/environment/kinds.ts'
import { defineVariables } from '../../rails/environment/variables.ts'

const rows = Object.values(networks)
/** If networks share a variable, this is the main network, which comes first. */
const rowOf = (variable: string) =>
  rows.find(({ payTo, rpc }) => payTo === variable || rpc === variable) as (typeof rows)[number]

const salesNetworks = networkNames.filter(name => !networks[name].testnet)
export type RpcVariable = (typeof rpcVariables)[number]

/** A network that we sell on. */
export interface OpenNetwork {
  name: NetworkName
  rpcUrls: readonly string[]
  payTo?: string | undefined
}

/** If several networks share the variable, this is the public node of the one with sales. */
export function publicNode(variable: RpcVariable, opened: readonly NetworkName[]): string {
  const name = opened.find(each => networks[each].rpc === variable)
  return (name ? networks[name] : rowOf(variable)).publicNode.url
}

export const nodeVariables = forEach(rpcVariables, name =>
  httpUrls('RPC addresses')
    .optional()
    .describe(`nodes of ${rowOf(name).title}, separated by commas; the first that answers is used`),
)

/** The networks that we sell on. */
export const networkVariables = defineVariables(
  {
    NETWORKS: listOf(networkNames)
      .refine(
        listed => new Set(listed.map(name => networks[name].payTo)).size === listed.length,
        'a list that names a network or its test network, not both',
      )
      .default([...mainNetworks])
      .describe(
        `the networks to sell on: ${code(salesNetworks)}; for a rehearsal, their test networks (above)`,
      ),
    ...forEach(payToVariables, name => {
      const { family, title } = rowOf(name)
      const { address, addressWords } = families[family]
      return z
        .string()
        .regex(address, addressWords)
        .optional()
        .describe(`your wallet on ${title}; required if \`NETWORKS\` names it or its test network`)
    }),
    ...nodeVariables,
  },
  (values): OpenNetwork[] =>
    values.NETWORKS.map(name => {
      const { rpc, payTo } = networks[name]
      return { name, rpcUrls: values[rpc] ?? [publicNode(rpc, values.NETWORKS)], payTo: values[payTo] }
    }),
)
