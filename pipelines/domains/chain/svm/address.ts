/** Solana addresses: 32 bytes in base58, without a checksum. The message describes the form of a wrong one. */
import { families } from '../../../../schemas/tables/networks.ts'
import { fromBase58, toBase58 } from '../../payments/svm/base58.ts'

const keyBytes = 32
const signatureBytes = 64

export function svmAddress(text: string): { address: string } | { wrong: string } {
  const bytes = fromBase58(text)
  if (!bytes) return { wrong: `it should be ${families.svm.addressWords}, of ${keyBytes} bytes` }
  if (bytes.length === keyBytes) return { address: toBase58(bytes) }
  const seems = bytes.length === signatureBytes ? ', which is the signature of a transaction' : ''
  return { wrong: `an address has ${keyBytes} bytes, and this has ${bytes.length}${seems}` }
}

/** A transaction's name is its first signature. */
export const isSignature = (text: string): boolean => fromBase58(text)?.length === signatureBytes
