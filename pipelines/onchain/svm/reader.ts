/** Reads Solana. Not a part of this yet: see the reader of EVM chains. */
import { chains, type SvmChainName } from '../../../schemas/chains.ts'
import { NotConfigured } from '../../failures.ts'
import type { ChainOptions, ChainReader } from '../reader.ts'

export function openSvmChain({ chain }: ChainOptions<SvmChainName>): ChainReader {
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
