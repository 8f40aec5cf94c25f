/** The funded play-money wallet: x402's own client, and what it holds. */
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { type NetworkName, networks } from '../config.ts'
import { baseAccount, solanaSigner } from './keys.ts'

/** Where a play-money chain can be spoken to. */
export interface Reachable {
  network: NetworkName
  rpcUrl: string
}

/** A client that pays on this chain and on no other. */
export async function payingClient({ network, rpcUrl }: Reachable): Promise<x402Client> {
  const scheme =
    network === 'base' || network === 'base-sepolia'
      ? new ExactEvmScheme(baseAccount('payer'))
      : new ExactSvmScheme(await solanaSigner('payer'), { rpcUrl })
  return new x402Client().register(networks[network].caip2, scheme)
}
