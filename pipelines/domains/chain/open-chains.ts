/** Opens a reader for each chain whose nodes are configured. */

import { type ChainName, chainNames, chains, isEvmChain } from '../../../schemas/tables/chains.ts'
import { NotConfigured } from '../../rails/failures.ts'
import type { Part } from '../../rails/process.ts'
import { openEvmChain } from './evm/reader.ts'
import { type PriceRecord, recording } from './price-record.ts'
import type { ChainReader } from './reader.ts'
import { sharing } from './sharing.ts'
import { openSvmChain } from './svm/reader.ts'
import { chainVariables, type Nodes } from './variables.ts'

/** Throws NotConfigured if the chain has no node here. */
export type Chains = (name: ChainName) => ChainReader

/** Without a record, no price is written to the log. */
export function openChains(nodes: Nodes, now: () => number, record?: PriceRecord): Chains {
  const opened = new Map<ChainName, ChainReader>(
    chainNames.flatMap(chain => {
      const own = nodes[chain]
      if (!own) return []
      const reader = isEvmChain(chain)
        ? openEvmChain({ ...own, chain, now })
        : openSvmChain({ ...own, chain, now })
      return [[chain, sharing(record ? recording(reader, record) : reader, now)] as const]
    }),
  )
  return name => {
    const reader = opened.get(name)
    if (!reader)
      throw new NotConfigured(`${chains[name].title} has no node here: ${chains[name].rpc} is unset`)
    return reader
  }
}

export const chainReaders: Part<Chains> = {
  name: 'chains',
  open: ({ log, now, read, onFailed }) =>
    openChains(read(chainVariables), now, { log, onFailed: error => onFailed('token_prices', error) }),
}
