/** The variables of chains that are read for callers. Chains with payments use the same nodes for both. */
import {
  type ChainName,
  chainNames,
  chains,
  publicNodeOf,
  readOnlyVariables,
} from '../../../schemas/tables/chains.ts'
import { forEach, httpUrls } from '../../rails/environment/kinds.ts'
import { defineVariables } from '../../rails/environment/variables.ts'
import { nodeVariables } from '../payments/variables.ts'
import type { ChainNodes } from './reader.ts'

export type Nodes = Partial<Record<ChainName, ChainNodes>>

function about(variable: (typeof readOnlyVariables)[number]): string {
  const name = chainNames.find(each => chains[each].rpc === variable) as (typeof chainNames)[number]
  const unset = publicNodeOf(name) ? 'a public node if unset' : 'unset, the chain is not read'
  return `nodes of ${chains[name].title} for the origin \`chain\`, separated by commas; trials of tokens need \`eth_simulateV1\`; ${unset}`
}

/** The operator's own nodes are asked faster than public ones, which everybody shares. */
const ownPerSecond = 100

/** The nodes of each configured chain. */
export const chainVariables = defineVariables(
  {
    ...nodeVariables,
    ...forEach(readOnlyVariables, name => httpUrls('RPC addresses').optional().describe(about(name))),
  },
  (values): Nodes =>
    Object.fromEntries(
      chainNames.flatMap(name => {
        const urls = values[chains[name].rpc]
        if (urls) return [[name, { urls, perSecond: ownPerSecond }]]
        const node = publicNodeOf(name)
        return node ? [[name, { urls: [node.url], perSecond: node.perSecond }]] : []
      }),
    ),
)
