/** Recovers the signer of a digest from a signature as strangers write it: 65 bytes with r, s and the choice of key. */
import { keccak256 } from './keccak256.ts'
import { secp256k1 } from './secp256k1.ts'

/** Every signature has a twin in the upper half of the order, which anybody can compute from it. EIP-2 refuses the twin. */
const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
const plainLength = 65

const bytesOf = (signature: string): Buffer => Buffer.from(signature.replace(/^0x/, ''), 'hex')

function recoveryOf(bytes: Buffer): 0 | 1 | undefined {
  const v = bytes.length === plainLength ? bytes[64] : undefined
  return v === 0 || v === 27 ? 0 : v === 1 || v === 28 ? 1 : undefined
}

const isInUpperHalf = (bytes: Buffer): boolean => bytes.subarray(32, 64).compare(halfOrder) > 0

/** Whether this is the twin of a signature. No wallet writes one. */
export function isTwin(signature: string): boolean {
  const bytes = bytesOf(signature)
  return recoveryOf(bytes) !== undefined && isInUpperHalf(bytes)
}

/** The signer's address in lower case. Undefined if this is not a signature. */
export function signerOfDigest(digest: Buffer, signature: string): string | undefined {
  const bytes = bytesOf(signature)
  const recovery = recoveryOf(bytes)
  if (recovery === undefined || isInUpperHalf(bytes)) return undefined
  try {
    return addressOf(secp256k1.recover(bytes.subarray(0, 64), recovery, digest))
  } catch {
    // A stranger wrote it. Numbers outside the curve are not a signature.
    return undefined
  }
}

export const addressOf = (publicKey: Uint8Array): string => `0x${keccak256(publicKey.subarray(1)).slice(24)}`
