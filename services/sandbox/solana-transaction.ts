/** A transaction as the sandbox's Solana keeps it, and what became of it. */
import { createHash } from 'node:crypto'
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit'
import type { FailedTransactionMetadata } from 'litesvm'

/** `err` is null, or what a node says in JSON. */
export interface Outcome {
  err: unknown
  logs: string[]
  computeUnits: bigint
}

export interface Landed extends Outcome {
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
  /** The bytes of a token account, of the others nothing. */
  token: Uint8Array | undefined
}

export const decodeTransaction = (base64: string): Transaction =>
  getTransactionDecoder().decode(Buffer.from(base64, 'base64'))

/** Version 0 and the older form, which differ only in lookup tables; nothing here uses those. */
export function messageOf(transaction: Transaction) {
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  return message as CompiledTransactionMessage & CompiledTransactionMessageWithLifetime
}

/** Signatures aside, so that one payment is one transaction, however its fee payer signs. */
export const messageHash = (transaction: Transaction): string =>
  createHash('sha256').update(new Uint8Array(transaction.messageBytes)).digest('hex')

/** litesvm prints its errors as the VM does, `InstructionError(2, Custom(1))`; a node says the same in JSON. */
export function outcome(
  failed: FailedTransactionMetadata | undefined,
  meta: { logs(): string[]; computeUnitsConsumed(): bigint },
): Outcome {
  const [, name, index, inner, code] =
    /err: (\w+)(?:\((\d+), (\w+)(?:\((\d+)\))?\))?/.exec(failed?.toString() ?? '') ?? []
  const reason = code === undefined ? inner : { [`${inner}`]: Number(code) }
  const err = name === undefined ? null : index === undefined ? name : { [name]: [Number(index), reason] }
  return { err, logs: meta.logs(), computeUnits: meta.computeUnitsConsumed() }
}
