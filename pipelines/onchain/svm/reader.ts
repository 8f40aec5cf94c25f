/** Reads Solana. Not a part of this yet: see the reader of EVM chains. */
import { type SvmChainName, chains } from '../../../schemas/chains.ts'
import { NotConfigured } from '../../failures.ts'
import type { ChainNodes } from '../open.ts'
import type { ChainReader } from '../reader.ts'

export interface SvmChainOptions extends ChainNodes {
  chain: SvmChainName
  now: () => number
}

export function openSvmChain({ chain }: SvmChainOptions): ChainReader {
  const absent = async () => {
    throw new NotConfigured(`${chains[chain].title} is not read yet`)
  }
  return {
    chain,
    balance: absent,
    token: absent,
    tx: absent,
    price: absent,
    check: absent,
    portfolio: absent,
    pretrade: absent,
  }
}
