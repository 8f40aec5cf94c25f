/** The role canary buys from a seller as his customers do. It has a wallet, and no part of the seller. */
import { openEvmWallet } from '../../pipelines/domains/payments/evm/wallet.ts'
import { openSvmWallet } from '../../pipelines/domains/payments/svm/wallet.ts'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import { isEvm } from '../../schemas/tables/networks.ts'
import { startCanary } from '../canary/canary.ts'
import { CanaryFacts } from '../canary/facts.ts'
import type { CanaryConfig, CanaryNetwork } from '../canary/variables.ts'
import type { RoleProcess } from './process.ts'

export async function openCanary(process: RoleProcess, canary: CanaryConfig): Promise<void> {
  const { config, lifecycle, log, now, tell, warn } = process
  const isBought = ({ path }: { path: string }) => path === canary.path
  const origin = config.origins.find(({ operations }) => operations.some(isBought))
  const operation = origin?.operations.find(isBought)
  if (!origin || !operation)
    throw new ConfigError(`CANARY_CALL is ${canary.path}; it should be an operation that is sold`)
  const facts = await lifecycle.run('facts of the canary', () => CanaryFacts.open(log, canary.aDay))
  const { url = origin.url, signer, everyMs } = canary
  const address = canary.isPublic ? origin.url : url
  const networks = canary.networks.map(network => ({ ...network, wallet: walletOf(network, now) }))
  await lifecycle.run('canary', () =>
    startCanary({
      networks,
      url,
      address,
      signer,
      everyMs,
      operation,
      facts,
      now,
      tell,
      onFailed: warn('canary'),
    }),
  )
}

const walletOf = ({ name, key, rpcUrls }: CanaryNetwork, now: () => number) =>
  isEvm(name) ? openEvmWallet(name, { key, rpcUrls, now }) : openSvmWallet(name, { key, rpcUrls, now })
