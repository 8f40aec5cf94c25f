/** Whether an EVM account signed a text: by its key, or by the word of its contract (ERC-1271, before deployment ERC-6492). */
import { type Address, createPublicClient, getAddress, type Hex, http } from 'viem'
import { verifyMessage } from 'viem/utils'

export interface SignedText {
  address: string
  text: string
  signature: string
}

const timeoutMs = 5_000

/** The form with a check-sum in upper and lower case, which wallets demand. */
export const checksummed = (address: string): string => getAddress(address)

/** `rpcUrls` are nodes of its network. Only a contract needs one. Rejects if no node can tell. */
export async function isSignedByEvm(
  { address, text, signature }: SignedText,
  rpcUrls: readonly string[],
): Promise<boolean> {
  if (!/^0x([0-9a-fA-F]{2})+$/.test(signature)) return false
  const signed = { address: address as Address, message: text, signature: signature as Hex }
  // 65 bytes may also be the signature of a contract's owner.
  if (signature.length === 132 && (await verifyMessage(signed).catch(() => false))) return true
  let failure: unknown
  for (const url of rpcUrls) {
    const client = createPublicClient({ transport: http(url, { timeout: timeoutMs, retryCount: 0 }) })
    try {
      return await client.verifyMessage(signed)
    } catch (error) {
      // The next node may answer.
      failure = error
    }
  }
  if (failure) throw failure
  return false
}
