/** Starts all named chains at once. If one cannot start, it stops the others. */
import type { ReadChains } from '../../pipelines/domains/chain/open-chains.ts'
import { chainOfNetwork, chains } from '../../schemas/tables/chains.ts'
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

/** Those that run here, and those whose nodes the user names. A public node would tell of other money beside the play money. */
export function chainsOf(
  running: readonly Pick<PlayChain, 'network'>[],
  env: Readonly<Record<string, string | undefined>>,
): ReadChains {
  const own = running.flatMap(({ network }) => chainOfNetwork(network) ?? [])
  const names = running.map(({ network }) => network).join(', ')
  return {
    isRead: name => own.includes(name) || Boolean(env[chains[name].rpc]),
    lacking: name =>
      `The sandbox runs no ${chains[name].title}, but ${names}. Start it with ${chains[name].rpc} to read a real node`,
  }
}
