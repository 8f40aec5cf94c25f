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
  Buffer.from(
    keccak256Bytes(Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)))),
  )
const word = (value: string | number): Buffer =>
  Buffer.from(BigInt(value).toString(16).padStart(64, '0'), 'hex')

/** What all messages of a kind begin with. To hash it anew takes as long as to hash a message. */
const beginnings = new WeakMap<Kind, { domain: Buffer; type: Buffer }>()

function beginningOf(kind: Kind): { domain: Buffer; type: Buffer } {
  const { domain, name, fields } = kind
  const known = beginnings.get(kind)
  if (known) return known
  const separator = hash(
    hash('EIP712Domain(string name,string version,uint256 chainId)'),
    hash(domain),
    hash('1'),
    word(1),
  )
  const typed = Object.entries(fields).map(([field, type]) => `${type} ${field}`)
  const beginning = {
    domain: Buffer.concat([Buffer.from([0x19, 0x01]), separator]),
    type: hash(`${name}(${typed.join(',')})`),
  }
  beginnings.set(kind, beginning)
  return beginning
}

function digestOf(kind: Kind, message: TypedMessage): Buffer {
  const { domain, type } = beginningOf(kind)
  const values = Object.entries(kind.fields).map(([field, type]) => {
    const value = message[field] ?? ''
    return type === 'string' ? hash(String(value)) : word(value)
  })
  return hash(domain, hash(type, ...values))
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

const forms: Record<Kind['fields'][string], (value: unknown) => boolean> = {
  string: value => typeof value === 'string' && !/\p{Surrogate}/u.test(value),
  uint256: value => Number.isSafeInteger(value) && Number(value) >= 0,
  bytes32: value => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
}

/**
 * Whether a stranger's message has the fields of its kind, no others, and each in the one form that we write. A signature says nothing of
 * other fields, and holds for look-alikes: "0x1", "1 " and 1 are one number to it.
 */
export const isFormed = ({ fields }: Kind, message: object): boolean => {
  const given = Object.entries(message)
  return (
    given.length === Object.keys(fields).length &&
    given.every(([name, value]) => {
      const type = Object.hasOwn(fields, name) ? fields[name] : undefined
      return type !== undefined && forms[type](value)
    })
  )
}

/** The one form in which we write a signature. */
export const isSignature = (text: string): boolean => /^0x[0-9a-f]{128}1[bc]$/.test(text)
