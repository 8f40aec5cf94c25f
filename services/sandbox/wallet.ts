/** The funded play-money wallet: its balance, and x402's own client that pays with it. */
import { address, createSolanaRpc } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { isEvm, type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { evmBalance } from './evm-chain.ts'
import { evmAccount, solanaSigner } from './keys.ts'
import { usdcAccount } from './solana-token.ts'

/** The network and address of a play-money chain. */
export interface Reachable {
  network: NetworkName
  rpcUrl: string
}

/** Makes a client that pays on this chain only. */
export async function payingClient({ network, rpcUrl }: Reachable): Promise<x402Client> {
  const scheme = isEvm(network)
    ? new ExactEvmScheme(evmAccount('payer'))
    : new ExactSvmScheme(await solanaSigner('payer'), { rpcUrl })
  // Play money needs no caps.
  return new x402Client().setSpendControls(false).register(networks[network].caip2, scheme)
}

/** In atomic USDC. */
export async function payerBalance({ network, rpcUrl }: Reachable): Promise<bigint> {
  if (isEvm(network)) return evmBalance(network, rpcUrl, evmAccount('payer').address)
  const { address: payer } = await solanaSigner('payer')
  const account = await usdcAccount(payer, address(networks[network].asset))
  const { value } = await createSolanaRpc(rpcUrl).getTokenAccountBalance(account).send()
  return BigInt(value.amount)
}
