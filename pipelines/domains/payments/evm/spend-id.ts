/** The id of a payment by authorization: its chain takes each nonce of a payer once. */
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { sha256 } from '../../../rails/signing/sha256.ts'

export function spendIdsOn(network: EvmNetworkName): (from: string, nonce: string) => string {
  const { caip2, asset } = networks[network]
  const beginning = `${caip2}|${asset}|`.toLowerCase()
  return (from, nonce) => sha256(beginning + `${from}|${nonce}`.toLowerCase())
}
