/**
 * ECDSA on the curve of Ethereum: the native part of `secp256k1` where it loads, else JavaScript. The package's own
 * fallback, an elliptic with an open advisory, is never loaded.
 */
import { createRequire } from 'node:module'
import type native from 'secp256k1'

interface Secp256k1 {
  /** Signs with the smaller of the two possible numbers s. */
  sign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recovery: number }
  /** 65 bytes. Throws if no key can have made this signature. */
  recover(signature: Uint8Array, recovery: number, digest: Uint8Array): Uint8Array
  /** 65 bytes. */
  publicKeyOf(key: Uint8Array): Uint8Array
}

function ofNative({ ecdsaSign, ecdsaRecover, publicKeyCreate }: typeof native): Secp256k1 {
  return {
    sign(digest, key) {
      const { signature, recid } = ecdsaSign(digest, key)
      return { signature, recovery: recid }
    },
    recover: (signature, recovery, digest) => ecdsaRecover(signature, recovery, digest, false),
    publicKeyOf: key => publicKeyCreate(key, false),
  }
}

async function inJavaScript(): Promise<Secp256k1> {
  const { secp256k1 } = await import('@noble/curves/secp256k1')
  return {
    sign(digest, key) {
      const signed = secp256k1.sign(digest, key, { lowS: true })
      return { signature: signed.toCompactRawBytes(), recovery: signed.recovery }
    },
    recover: (signature, recovery, digest) =>
      secp256k1.Signature.fromCompact(signature)
        .addRecoveryBit(recovery)
        .recoverPublicKey(digest)
        .toRawBytes(false),
    publicKeyOf: key => secp256k1.getPublicKey(key, false),
  }
}

function nativePart(): typeof native | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js')
  } catch {
    // This platform has no native part.
    return undefined
  }
}

const found = nativePart()
export const isNative = found !== undefined
export const secp256k1: Secp256k1 = found ? ofNative(found) : await inJavaScript()
