/** Reads the transaction of a payment. It accepts only the form of x402's `exact` on Solana. */
import { createPublicKey, verify } from 'node:crypto'
import { PublicKey, VersionedMessage } from '@solana/web3.js'
import { sha256 } from '../../../rails/signing/sha256.ts'

export const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const tokenAccountProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111'
export const transferChecked = 12
/** The place of the transfer among the instructions. The two instructions before it call no others. */
export const transferPlace = 2
/** One message is one purchase: it moves nothing else, and it dies with its blockhash. */
const notBeside = new Set([
  tokenProgram.toBase58(),
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  '11111111111111111111111111111111',
])
/** The SPKI form of an Ed25519 public key is this prefix and the key. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex')

/** The account in which an owner holds a token. */
export const tokenAccount = (owner: string, mint: string): string =>
  PublicKey.findProgramAddressSync(
    [new PublicKey(owner).toBuffer(), tokenProgram.toBuffer(), new PublicKey(mint).toBuffer()],
    tokenAccountProgram,
  )[0].toBase58()

export interface TokenTransfer {
  /**
   * The hash of the message without its signatures: one payment is one message, and its fee payer may sign it in
   * several ways.
   */
  messageSha256: string
  blockhash: string
  feePayer: string
  payer: string
  source: string
  mint: string
  destination: string
  amount: bigint
  /** Whether the payer's signature is there and valid. */
  signed: boolean
}

/** The first byte of a transaction of version 1. A legacy one and version 0 begin with the count of their signatures. */
const version1 = 0x81

interface Parts {
  signatures: Uint8Array[]
  message: Uint8Array
}

function parts(transaction: Uint8Array): Parts | undefined {
  if (transaction[0] === version1) return parts1(transaction)
  const count = transaction[0] ?? 0
  const end = 1 + 64 * count
  // A count over 127 takes a second byte. A transaction holds 19 signatures at most.
  if (count < 1 || count > 19 || end >= transaction.length) return undefined
  // No node takes a message of version 1 behind its signatures.
  if (transaction[end] === version1) return undefined
  return { signatures: signaturesIn(transaction, 1, count), message: transaction.subarray(end) }
}

/** Its message comes first, and says in its second byte how many signatures follow. */
function parts1(transaction: Uint8Array): Parts | undefined {
  const count = transaction[1] ?? 0
  const end = transaction.length - 64 * count
  if (count < 1 || end <= 0) return undefined
  return { signatures: signaturesIn(transaction, end, count), message: transaction.subarray(0, end) }
}

const signaturesIn = (transaction: Uint8Array, from: number, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => transaction.subarray(from + 64 * i, from + 64 * (i + 1)))

/** Is it of a version above those that we read? We take none of them as a payment. */
export const isNewer = (transaction: Uint8Array): boolean => (transaction[0] ?? 0) > version1

/** The hash of the signed message. Undefined if these bytes are not a transaction. */
export function messageSha256(transaction: Uint8Array): string | undefined {
  const split = parts(transaction)
  return split && sha256(split.message)
}

/** Reads two compute budget instructions, TransferChecked, and up to four others. Undefined for any other form. */
export function readTransfer(transaction: Uint8Array): TokenTransfer | undefined {
  const split = parts(transaction)
  if (!split) return undefined
  let message: VersionedMessage
  try {
    message = VersionedMessage.deserialize(split.message)
  } catch {
    // A stranger wrote it. A text that the parser cannot read is not a payment.
    return undefined
  }
  const { staticAccountKeys: accounts, compiledInstructions: instructions, header } = message
  const [limit, price, transfer] = instructions
  if (!limit || !price || !transfer || instructions.length > 7) return undefined
  if (split.signatures.length !== header.numRequiredSignatures) return undefined
  // A durable nonce would be the first instruction, and would let the transaction outlive its blockhash.
  for (const { programIdIndex } of [limit, price])
    if (accounts[programIdIndex]?.toBase58() !== computeBudgetProgram) return undefined
  if (!accounts[transfer.programIdIndex]?.equals(tokenProgram)) return undefined
  for (const { programIdIndex } of instructions.slice(transferPlace + 1))
    if (notBeside.has(accounts[programIdIndex]?.toBase58() ?? '')) return undefined
  const data = Buffer.from(transfer.data)
  if (data.length !== 10 || data[0] !== transferChecked || transfer.accountKeyIndexes.length !== 4)
    return undefined
  const [source, mint, destination, payer] = transfer.accountKeyIndexes.map(i => accounts[i])
  const payerIndex = transfer.accountKeyIndexes[3] as number
  const feePayer = accounts[0]
  if (!source || !mint || !destination || !payer || !feePayer) return undefined
  const signature = split.signatures[payerIndex]
  return {
    messageSha256: sha256(split.message),
    blockhash: message.recentBlockhash,
    feePayer: feePayer.toBase58(),
    payer: payer.toBase58(),
    source: source.toBase58(),
    mint: mint.toBase58(),
    destination: destination.toBase58(),
    amount: data.readBigUInt64LE(1),
    signed: signature !== undefined && holds(payer, split.message, signature),
  }
}

const holds = (signer: PublicKey, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    null,
    message,
    createPublicKey({
      key: Buffer.concat([ed25519Prefix, signer.toBuffer()]),
      format: 'der',
      type: 'spki',
    }),
    signature,
  )
