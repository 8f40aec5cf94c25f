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

/** What is said of a chain without a node. */
type Lacking = (name: ChainName) => string
const usualLacking: Lacking = name => `${chains[name].title} has no node here: ${chains[name].rpc} is unset`

/** Which chains are read in this process, and what is said of the others. The sandbox reads no public node beside its own chains. */
export interface ReadChains {
  isRead(name: ChainName): boolean
  lacking: Lacking
}
export const readChains: Part<ReadChains> = {
  name: 'chains that are read',
  open: () => ({ isRead: () => true, lacking: usualLacking }),
}

/** Without a record, no price is written to the log. */
export function openChains(
  nodes: Nodes,
  now: () => number,
  record?: PriceRecord,
  lacking = usualLacking,
): Chains {
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
    if (!reader) throw new NotConfigured(lacking(name))
    return reader
  }
}

export const chainReaders: Part<Chains> = {
  name: 'chains',
  async open({ log, now, read, use, onFailed }) {
    const { isRead, lacking } = await use(readChains)
    const nodes = Object.entries(read(chainVariables)).filter(([name]) => isRead(name as ChainName))
    const record = { log, onFailed: (error: unknown) => onFailed('token_prices', error) }
    return openChains(Object.fromEntries(nodes), now, record, lacking)
  },
}
