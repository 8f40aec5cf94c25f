/**
 * Whether an EVM account signed a text: by its key, or through its contract (ERC-1271, or ERC-6492 before its
 * deployment).
 */

import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashMessage,
  http,
  isErc6492Signature,
  type PublicClient,
  parseAbi,
  verifyMessage,
} from 'viem'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { isTwin } from '../../../rails/signing/ecdsa.ts'

export interface SignedText {
  address: string
  text: string
  signature: string
}

const timeoutMs = 5_000
const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** The answer of a contract for a valid signature. */
const isValid = '0x1626ba7e'

/** The form with a checksum in upper and lower case, which wallets require. */
export const checksummed = (address: string): string => getAddress(address)

/**
 * By the account's own key. Undefined if only a node can tell, because 65 bytes may also be the signature of a
 * contract's owner.
 */
export async function isSignedByKey({ address, text, signature }: SignedText): Promise<boolean | undefined> {
  if (!/^0x([0-9a-fA-F]{2})+$/.test(signature) || isTwin(signature)) return false
  const signed = { address: address as Address, message: text, signature: signature as Hex }
  return (signature.length === 132 && (await verifyMessage(signed).catch(() => false))) || undefined
}

/** `rpcUrls` are nodes of its network. Only a contract needs one. Rejects if no node can tell. */
export async function isSignedByEvm(text: SignedText, rpcUrls: readonly string[]): Promise<boolean> {
  const known = await isSignedByKey(text)
  if (known !== undefined) return known
  const signed = {
    address: text.address as Address,
    message: text.text,
    signature: text.signature as Hex,
  }
  let failure: unknown
  for (const url of rpcUrls) {
    const client = createPublicClient({
      transport: http(url, { fetchFn: nodeFetch, timeout: timeoutMs, retryCount: 0 }),
    })
    try {
      return await isSignedByContract(client, signed)
    } catch (error) {
      // The next node may answer.
      failure = error
    }
  }
  if (failure) throw failure
  return false
}

interface Signed {
  address: Address
  message: string
  signature: Hex
}

async function isSignedByContract(client: PublicClient, signed: Signed): Promise<boolean> {
  const { address, message, signature } = signed
  // If the node does not answer, this call throws. A later failure comes from the contract.
  const code = await client.getCode({ address })
  // The signature names the factory of the contract, and is valid before and after the deployment.
  if (isErc6492Signature(signature)) return client.verifyMessage(signed)
  if (code === undefined || code === '0x') return false
  const args = [hashMessage(message), signature] as const
  const data = encodeFunctionData({ abi: erc1271, functionName: 'isValidSignature', args })
  const answer = await client.call({ to: address, data }).catch(() => ({ data: undefined }))
  return answer.data?.startsWith(isValid) === true
}
