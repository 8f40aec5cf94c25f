/** Places the market of each play-money chain, so that every operation on chains has an answer. */
import { isEvm } from '../../schemas/tables/networks.ts'
import { layMarket } from './evm-market.ts'
import type { PlayChain } from './play-chain.ts'

export const layMarkets = (chains: readonly PlayChain[]): Promise<unknown> =>
  Promise.all(chains.map(({ network, rpcUrl }) => (isEvm(network) ? layMarket(network, rpcUrl) : undefined)))
