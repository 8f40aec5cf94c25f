/** Pays on an EVM chain by an authorization, whose nonce is drawn for this payment. */
import { randomBytes } from 'node:crypto'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import type { EvmTrace } from '../../../../schemas/till-promises.ts'
import type { PayingWallet, WalletOptions } from '../wallet.ts'
import { authorized } from './authorized.ts'
import { openEvmFinder } from './finder.ts'
import { evmAccountOf } from './sender.ts'

export function openEvmWallet(network: EvmNetworkName, { key, rpcUrls, now }: WalletOptions): PayingWallet {
  const account = evmAccountOf(key)
  const address = account.address.toLowerCase()
  const finder = openEvmFinder({ network, rpcUrls, now })
  return {
    address,
    async sign({ payTo, amount, maxTimeoutSeconds }) {
      const trace: EvmTrace = {
        network: networks[network].caip2,
        from: address,
        to: payTo.toLowerCase(),
        value: String(amount),
        nonce: `0x${randomBytes(32).toString('hex')}`,
        valid_before: Math.floor(now() / 1000) + maxTimeoutSeconds,
      }
      return { trace, payload: await authorized(account, network, trace) }
    },
    find: (trace, sinceMs, tx) => finder.find(trace as EvmTrace, sinceMs, tx),
  }
}
