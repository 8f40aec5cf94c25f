/** A payment whose fee we pay: what it may do beside our signature, and the signature. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { VersionedMessage } from '@solana/web3.js'
import { fromBase58, toBase58 } from './base58.ts'

/** An account that pays fees. */
export interface FeePayer {
  address: string
  key: KeyObject
}

const seedBytes = 32
const keyBytes = 64
/** The PKCS 8 form of an Ed25519 key is this prefix and the seed. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Reads a key as wallets export it: base58 of the seed and its public key. Undefined if it is none. */
export function feePayerOf(text: string): FeePayer | undefined {
  const bytes = fromBase58(text)
  if (bytes?.length !== keyBytes) return undefined
  const seed = bytes.subarray(0, seedBytes)
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  const own = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-seedBytes)
  return own.equals(bytes.subarray(seedBytes)) ? { address: toBase58(own), key } : undefined
}

const setLimit = 2
const setPrice = 3
/** In lamports, above the fee of the two signatures. As much as a signature costs. */
const mostPriority = 5000n
const microLamports = 1_000_000n
const mostUnits = 400_000n
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
/** What wallets put beside a transfer: guards that only read, and a text. */
const beside = new Set(['L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95', memoProgram])

/**
 * Why we do not sign it. Undefined: our signature can do nothing but pay the fee. The till has read its form: two instructions for
 * compute, then the transfer, then others.
 */
export function objectionTo(transaction: Uint8Array, feePayer: string): string | undefined {
  const message = messageOf(transaction)
  if (!message) return 'unreadable'
  const { staticAccountKeys, compiledInstructions, header, addressTableLookups } = message
  // The accounts of a table are not in the message, so nobody can see here whether ours is among them.
  if (addressTableLookups.length > 0) return 'address_table'
  const accounts = staticAccountKeys.map(key => key.toBase58())
  // Each further signature would cost us as much again.
  if (header.numRequiredSignatures !== 2 || accounts[0] !== feePayer) return 'signers'
  for (const { programIdIndex, accountKeyIndexes } of compiledInstructions)
    if ([programIdIndex, ...accountKeyIndexes].some(i => (accounts[i] ?? feePayer) === feePayer))
      return 'fee_payer_used'
  const others = compiledInstructions.slice(3)
  if (others.some(({ programIdIndex }) => !beside.has(accounts[programIdIndex] as string)))
    return 'instruction'
  return isCheap(compiledInstructions.slice(0, 2).map(({ data }) => Buffer.from(data)))
    ? undefined
    : 'compute_price'
}

function isCheap(instructions: Buffer[]): boolean {
  const { units, microPrice } = computeIn(instructions) ?? {}
  if (units === undefined || microPrice === undefined) return false
  return units <= mostUnits && units * microPrice <= mostPriority * microLamports
}

/** What the two instructions for compute ask for. Undefined: they are none. */
function computeIn([limit, price]: Buffer[]): { units: bigint; microPrice: bigint } | undefined {
  if (limit?.length !== 5 || limit[0] !== setLimit || price?.length !== 9 || price[0] !== setPrice)
    return undefined
  return { units: BigInt(limit.readUInt32LE(1)), microPrice: price.readBigUInt64LE(1) }
}

const lamportsOfSignature = 5000n

/** What the chain takes for it, whether its transfer succeeds or not: so much for each signature, and for the compute that it asks for. */
export function feeOf(transaction: Uint8Array): bigint {
  const message = messageOf(transaction)
  if (!message) return 0n
  const { header, compiledInstructions } = message
  const compute = computeIn(compiledInstructions.slice(0, 2).map(({ data }) => Buffer.from(data)))
  const micro = compute ? compute.units * compute.microPrice : 0n
  return (
    BigInt(header.numRequiredSignatures) * lamportsOfSignature + (micro + microLamports - 1n) / microLamports
  )
}

const signatureBytes = 64

function messageOf(transaction: Uint8Array): VersionedMessage | undefined {
  try {
    return VersionedMessage.deserialize(transaction.subarray(1 + signatureBytes * (transaction[0] ?? 0)))
  } catch {
    // A stranger wrote it.
    return undefined
  }
}

export interface Sponsored {
  /** The id of the transaction. The same message gets the same one, however often it is signed. */
  signature: string
  /** The whole transaction in base64. */
  wire: string
}

/** The account that pays comes first, and so does its signature. */
export function sponsored(transaction: Uint8Array, { key }: FeePayer): Sponsored {
  const bytes = Buffer.from(transaction)
  const signature = sign(null, bytes.subarray(1 + signatureBytes * (bytes[0] ?? 0)), key)
  signature.copy(bytes, 1)
  return { signature: toBase58(signature), wire: bytes.toString('base64') }
}
