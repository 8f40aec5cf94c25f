/** Which chains are read for payments, through which nodes, and how hard these may be asked. */
import { openBaseReader } from '../../pipelines/chain/base-reader.ts'
import type { Chains } from '../../pipelines/chain/chains.ts'
import { openSolanaReader } from '../../pipelines/chain/solana-reader.ts'
import type { Log } from '../../pipelines/log/log.ts'
import type { Running } from '../../pipelines/running.ts'
import { followSellers } from '../../pipelines/sellers.ts'
import { type Config, networks } from '../config.ts'

/** Public nodes are shared with everybody; one on this machine is asked as fast as it answers. */
const publicPerSecond = { base: 4, solana: 2 }
const isLocal = (url: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname)
const paceOf = (chain: keyof typeof publicPerSecond, urls: readonly string[]) =>
  urls.every(isLocal) ? 1000 : publicPerSecond[chain]

export async function openChains(config: Config, log: Log): Promise<Chains & Running> {
  const { NETWORKS: names, BASE_RPC_URL, SOLANA_RPC_URL, PAY_TO_BASE, PAY_TO_SOLANA } = config
  const base = names.find(name => name === 'base' || name === 'base-sepolia')
  const solana = names.find(name => name === 'solana' || name === 'solana-devnet')
  const own = [
    ...(base && PAY_TO_BASE ? [{ network: networks[base].caip2, address: PAY_TO_BASE }] : []),
    ...(solana && PAY_TO_SOLANA ? [{ network: networks[solana].caip2, address: PAY_TO_SOLANA }] : []),
  ]
  const sellers = await followSellers(log, own)
  return {
    base:
      base &&
      openBaseReader({ network: base, rpcUrls: BASE_RPC_URL, perSecond: paceOf('base', BASE_RPC_URL) }),
    solana:
      solana &&
      openSolanaReader({
        network: solana,
        rpcUrls: SOLANA_RPC_URL,
        perSecond: paceOf('solana', SOLANA_RPC_URL),
      }),
    sellers,
    ended: sellers.ended,
    close: () => sellers.close(),
  }
}
