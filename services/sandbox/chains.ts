/** Starts all named chains at once. If one cannot start, it stops the others. */
import { isEvm, mainNetworks, type NetworkName } from '../../schemas/tables/networks.ts'
import { startEvmChain } from './evm-chain.ts'
import type { PlayChain } from './play-chain.ts'
import { startSolanaChain } from './solana-node.ts'

export async function startChains(
  names: readonly NetworkName[] = mainNetworks,
  now: () => number = Date.now,
): Promise<PlayChain[]> {
  const started = await Promise.allSettled(names.map(name => startChain(name, now)))
  const chains = started.flatMap(chain => (chain.status === 'fulfilled' ? [chain.value] : []))
  const failed = started.find(chain => chain.status === 'rejected')
  if (!failed) return chains
  await Promise.all(chains.map(chain => chain.close()))
  throw failed.reason
}

const startChain = (name: NetworkName, now: () => number): Promise<PlayChain> =>
  isEvm(name) ? startEvmChain(name) : startSolanaChain(name, now)
