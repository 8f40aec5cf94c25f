/** Makes the scheme of every network by its family. */
import { openEvmFinder } from '../../../pipelines/domains/payments/evm/finder.ts'
import { openSvmFinder } from '../../../pipelines/domains/payments/svm/finder.ts'
import { isEvm, type NetworkName, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { evmScheme } from './evm.ts'
import type { Scheme, Schemes } from './scheme.ts'
import { svmScheme } from './svm.ts'

export type RpcUrls = Readonly<Partial<Record<NetworkName, readonly string[]>>>

/** Networks that the till no longer sells on have a scheme, too, because an old purchase may still be open there. */
export const openSchemes = (rpcUrls: RpcUrls, now: () => number): Schemes =>
  new Map(
    networkNames.flatMap(name => {
      const urls = rpcUrls[name]
      return urls ? [[networks[name].caip2, openScheme(name, urls, now)] as const] : []
    }),
  )

function openScheme(network: NetworkName, rpcUrls: readonly string[], now: () => number): Scheme {
  return isEvm(network)
    ? evmScheme({ network, finder: openEvmFinder({ network, rpcUrls, now }), now })
    : svmScheme({ network, finder: openSvmFinder({ rpcUrls, now }), now })
}
