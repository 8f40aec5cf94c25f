/** Every chain that is asked for, started at once; if one cannot start, none is left running. */
import type { NetworkName } from '../../schemas/networks.ts'
import { startBaseChain } from './base-chain.ts'
import type { PlayChain } from './play-chain.ts'
import { startSolanaChain } from './solana-node.ts'

export async function startChains(
  names: readonly NetworkName[] = ['base', 'solana'],
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
  name === 'base' || name === 'base-sepolia' ? startBaseChain(name) : startSolanaChain(name, now)
