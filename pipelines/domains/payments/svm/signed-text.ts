/** Whether a Solana account signed a text, directly or in the envelope of off-chain messages. */
import { createPublicKey, verify } from 'node:crypto'
import { PublicKey } from '@solana/web3.js'
import { fromBase58 } from './base58.ts'

/** The DER of an ed25519 public key, before its bytes. */
const spki = Buffer.from('302a300506032b6570032100', 'hex')
const domain = Buffer.from('\xffsolana offchain\0', 'latin1')

/** The address of a program has no key. A multisig's address has none either. */
export function hasKey(address: string): boolean {
  try {
    return PublicKey.isOnCurve(address)
  } catch {
    // A stranger wrote it: it is not an address.
    return false
  }
}

/** The signature is in base58, base64 or hex. */
export function isSignedBySolana(address: string, text: string, signature: string): boolean {
  const bytes = signatureIn(signature)
  if (!bytes || !hasKey(address)) return false
  const signer = new PublicKey(address).toBuffer()
  const key = createPublicKey({ key: Buffer.concat([spki, signer]), format: 'der', type: 'spki' })
  return forms(Buffer.from(text), signer).some(form => verify(null, form, key, bytes))
}

/**
 * The text alone, and both layouts of the envelope in version 0: that of the command line, and that of the
 * specification.
 */
function forms(text: Buffer, signer: Buffer): Buffer[] {
  const size = Buffer.alloc(2)
  size.writeUInt16LE(text.length)
  return [
    text,
    ...[0, 1].flatMap(format => [
      Buffer.concat([domain, Buffer.from([format]), size, text]),
      Buffer.concat([domain, Buffer.alloc(32), Buffer.from([format, 1]), signer, size, text]),
    ]),
  ]
}

function signatureIn(text: string): Uint8Array | undefined {
  const hex = /^(?:0x)?([0-9a-fA-F]{128})$/.exec(text)?.[1]
  const forms = [hex ? Buffer.from(hex, 'hex') : fromBase58(text), Buffer.from(text, 'base64')]
  return forms.find(bytes => bytes?.length === 64)
}
