/** Reads the account in which an owner holds a token, of SPL Token and of Token-2022. */
import type { Bytes } from '../bytes.ts'

interface TokenAccount {
  mint: string
  owner: string
  amount: bigint
  frozen: boolean
}

const bytes = 165
const uninitialized = 0
const frozen = 2

/** Undefined if this is not a token account. */
export function tokenAccount(data: Bytes): TokenAccount | undefined {
  if (data.length < bytes || (data.length > bytes && data.u8(bytes) !== kind.account)) return undefined
  const state = data.u8(108)
  if (state === uninitialized || state > frozen) return undefined
  return { mint: data.key(0), owner: data.key(32), amount: data.u64(64), frozen: state === frozen }
}

/** After the fields of SPL Token, Token-2022 writes the kind of the account. */
export const kind = { at: bytes, mint: 1, account: 2 } as const
