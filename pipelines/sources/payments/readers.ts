/**
 * The readers of a process, one for each network: whoever reads payments there shares it, and with it the pace at which a node is asked.
 */
import { isEvm, type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { EvmReader } from '../../domains/payments/evm/reader.ts'
import { openSvmReader, type SvmReader } from '../../domains/payments/svm/reader.ts'
import { networkVariables } from '../../domains/payments/variables.ts'
import type { Part } from '../../rails/process.ts'

export type PaymentReader = EvmReader | SvmReader

/** Others share a public node. A node on this machine is asked as fast as it answers. */
const isLocal = (url: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname)
export const nodesOf = (network: NetworkName, urls: readonly string[]) => ({
  urls,
  perSecond: urls.every(isLocal) ? 1000 : networks[network].publicNode.perSecond,
})

export function openReader(network: NetworkName, rpcUrls: readonly string[]): PaymentReader {
  const { perSecond } = nodesOf(network, rpcUrls)
  return isEvm(network)
    ? new EvmReader({ network, rpcUrls, perSecond })
    : openSvmReader({ network, rpcUrls, perSecond })
}

export const paymentReaders: Part<ReadonlyMap<NetworkName, PaymentReader>> = {
  name: 'readers of payments',
  open: ({ read }) =>
    new Map(read(networkVariables).map(({ name, rpcUrls }) => [name, openReader(name, rpcUrls)])),
}
