/** Typed data of EIP-712, limited to what offers and receipts need: flat, with strings, whole numbers and hashes. */
import { addressOf, signerOfDigest } from './ecdsa.ts'
import { keccak256Bytes } from './keccak256.ts'
import { secp256k1 } from './secp256k1.ts'

export interface Kind {
  /** The name of the domain. Its version is always 1 and its chain Ethereum, whichever network the payment used. */
  domain: string
  name: string
  fields: Readonly<Record<string, 'string' | 'uint256' | 'bytes32'>>
}

export type TypedMessage = Readonly<Record<string, string | number>>

const hash = (...parts: (string | Uint8Array)[]): Buffer =>
  Buffer.from(keccak256Bytes(Buffer.concat(parts.map(part => Buffer.from(part)))))
const word = (value: string | number): Buffer =>
  Buffer.from(BigInt(value).toString(16).padStart(64, '0'), 'hex')

function digestOf({ domain, name, fields }: Kind, message: TypedMessage): Buffer {
  const separator = hash(
    hash('EIP712Domain(string name,string version,uint256 chainId)'),
    hash(domain),
    hash('1'),
    word(1),
  )
  const types = Object.entries(fields)
  const struct = hash(
    hash(`${name}(${types.map(([field, type]) => `${type} ${field}`).join(',')})`),
    ...types.map(([field, type]) => {
      const value = message[field] ?? ''
      return type === 'string' ? hash(String(value)) : word(value)
    }),
  )
  return hash(Buffer.from([0x19, 0x01]), separator, struct)
}

export const addressOfKey = (key: string): string =>
  addressOf(secp256k1.publicKeyOf(Buffer.from(key.slice(2), 'hex')))

export function sign(kind: Kind, message: TypedMessage, key: string): string {
  const { signature, recovery } = secp256k1.sign(digestOf(kind, message), Buffer.from(key.slice(2), 'hex'))
  return `0x${Buffer.from(signature).toString('hex')}${(recovery + 27).toString(16)}`
}

/** The signer's address in lower case. Undefined if this is not a signature. */
export function signerOf(kind: Kind, message: TypedMessage, signature: string): string | undefined {
  try {
    return signerOfDigest(digestOf(kind, message), signature)
  } catch {
    // A stranger wrote it: a field is not a number.
    return undefined
  }
}
