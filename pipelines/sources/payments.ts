/** The source of the payments on one network. It reads the chain with the reader of its family. */
import { isEvm, type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { openEvmReader } from '../domains/payments/evm/reader.ts'
import { openSvmReader } from '../domains/payments/svm/reader.ts'
import { evmPayments } from './payments/evm.ts'
import type { SellerWallets } from './payments/sellers.ts'
import { svmPayments } from './payments/svm.ts'
import type { Source } from './source.ts'

interface PaymentsOptions {
  rpcUrls: readonly string[]
  sellers: SellerWallets
}

export function paymentsOn(network: NetworkName, { rpcUrls, sellers }: PaymentsOptions): Source {
  const { perSecond } = nodesOf(network, rpcUrls)
  const source = isEvm(network)
    ? evmPayments(openEvmReader({ network, rpcUrls, perSecond }), sellers)
    : svmPayments(openSvmReader({ network, rpcUrls, perSecond }), sellers)
  return source as Source
}

/** Others share a public node. A node on this machine is asked as fast as it answers. */
const isLocal = (url: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname)
export const nodesOf = (network: NetworkName, urls: readonly string[]) => ({
  urls,
  perSecond: urls.every(isLocal) ? 1000 : networks[network].publicNode.perSecond,
})
