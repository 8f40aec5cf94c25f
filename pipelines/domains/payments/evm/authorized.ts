/** Signs a transfer by authorization (EIP-3009) from an account of ours. */
import type { Hex } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import type { EvmTrace } from '../../../../schemas/till-promises.ts'
import type { evmAccountOf } from './sender.ts'
import type { SignedTransfer } from './transfer-calls.ts'

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export async function authorized(
  account: ReturnType<typeof evmAccountOf>,
  network: EvmNetworkName,
  { from, to, value, nonce, valid_before }: EvmTrace,
): Promise<SignedTransfer> {
  const { asset, caip2, domain } = networks[network]
  const signature = await account.signTypedData({
    domain: { ...domain, chainId: Number(caip2.split(':')[1]), verifyingContract: asset },
    types,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...{ from: account.address, to: to as Hex, value: BigInt(value) },
      ...{ validAfter: 0n, validBefore: BigInt(valid_before), nonce: nonce as Hex },
    },
  })
  const authorization = { from, to, value, validAfter: '0', validBefore: String(valid_before), nonce }
  return { signature, authorization }
}
