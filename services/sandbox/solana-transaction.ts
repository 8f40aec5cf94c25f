/** A transaction on the sandbox's Solana, and its outcome. */
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit'
import type { FailedTransactionMetadata } from 'litesvm'
import { memoProgram } from '../../pipelines/domains/payments/svm/sponsored.ts'
import { sha256 } from '../../pipelines/rails/signing/sha256.ts'

/** Null, or the error in the JSON of a node. */
export interface TransactionOutcome {
  err: unknown
  logs: string[]
  computeUnits: bigint
}

export interface Landed extends TransactionOutcome {
  signature: string
  slot: bigint
  blockTime: bigint
  transaction: Transaction
  accounts: Address[]
  before: AccountHeld[]
  after: AccountHeld[]
}

export interface AccountHeld {
  lamports: bigint
  /** The bytes of a token account. Undefined for other accounts. */
  token: Uint8Array | undefined
}

export const decodeTransaction = (base64: string): Transaction =>
  getTransactionDecoder().decode(Buffer.from(base64, 'base64'))

/** Reads version 0 and the older form. They differ in lookup tables only, and nothing here uses these. */
export function messageOf(transaction: Transaction) {
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  return message as CompiledTransactionMessage & CompiledTransactionMessageWithLifetime
}

/** Hashes the message without its signatures: one payment is one transaction, however its fee payer signs. */
export const messageHash = (transaction: Transaction): string =>
  sha256(new Uint8Array(transaction.messageBytes))

/** litesvm prints errors such as `InstructionError(2, Custom(1))`. A node writes the same error in JSON. */
export function outcome(
  failed: FailedTransactionMetadata | undefined,
  meta: { logs(): string[]; computeUnitsConsumed(): bigint },
): TransactionOutcome {
  const [, name, index, inner, code] =
    /err: (\w+)(?:\((\d+), (\w+)(?:\((\d+)\))?\))?/.exec(failed?.toString() ?? '') ?? []
  const reason = code === undefined ? inner : { [`${inner}`]: Number(code) }
  const err = name === undefined ? null : index === undefined ? name : { [name]: [Number(index), reason] }
  return { err, logs: meta.logs(), computeUnits: meta.computeUnitsConsumed() }
}

/** The memo in the words of a node, which lists it beside the signature: its length, and its text. */
export function memoIn(transaction: Transaction): string | null {
  const { instructions, staticAccounts } = messageOf(transaction)
  const told = instructions
    .filter(({ programAddressIndex }) => staticAccounts[programAddressIndex] === memoProgram)
    .map(({ data = new Uint8Array() }) => `[${data.length}] ${Buffer.from(data as Uint8Array).toString()}`)
  return told.join('; ') || null
}
