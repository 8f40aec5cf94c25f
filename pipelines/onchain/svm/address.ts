/** Solana addresses: 32 bytes in base58, without a checksum. */
import { PublicKey } from '@solana/web3.js'
import { families } from '../../../schemas/networks.ts'

export function svmAddress(text: string): { address: string } | { wrong: string } {
  const wrong = { wrong: `it should be ${families.svm.addressWords}, of 32 bytes` }
  if (!families.svm.address.test(text)) return wrong
  try {
    return { address: new PublicKey(text).toBase58() }
  } catch {
    // The caller wrote it. Base58 of another length is no key.
    return wrong
  }
}
