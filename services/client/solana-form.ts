/**
 * The exact form of a payment on Solana: two limits of its cost, one transfer of USDC, one memo. A payment of another form is not
 * sent.
 */
import {
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
} from '@solana/kit'
import type { Offer } from './quote.ts'

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const computeBudget = 'ComputeBudget111111111111111111111111111111'
const memo = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
const form = [computeBudget, computeBudget, tokenProgram, memo]
const transferChecked = 12
export const decimals = 6

/** Says how a transaction differs from the payment of these terms by this wallet. Undefined if it does not differ. */
export function deviation(transaction: string, wallet: string, terms: Offer): string | undefined {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version !== 0) return `it has version ${message.version}`
  const { staticAccounts, instructions, header, addressTableLookups = [] } = message
  if (addressTableLookups.length) return 'it looks accounts up in tables'
  if (header.numSignerAccounts !== 2) return `${header.numSignerAccounts} keys sign it`
  if (staticAccounts[0] !== terms.extra?.feePayer) return 'another account pays its fees'
  const programs = instructions.map(({ programAddressIndex }) => String(staticAccounts[programAddressIndex]))
  if (programs.join() !== form.join()) return `its programs are ${programs.join(', ')}`
  const { accountIndices = [], data } = instructions[2] ?? {}
  const [, mint, , authority] = accountIndices.map(index => String(staticAccounts[index]))
  if (accountIndices.length !== 4 || mint !== terms.asset || authority !== wallet)
    return 'it moves something else'
  return isTransferOf(data, BigInt(terms.amount)) ? undefined : 'it moves another amount'
}

function isTransferOf(data: ReadonlyUint8Array | undefined, atoms: bigint): boolean {
  const bytes = Buffer.from(data ?? [])
  return (
    bytes.length === 10 &&
    bytes[0] === transferChecked &&
    bytes.readBigUInt64LE(1) === atoms &&
    bytes[9] === decimals
  )
}
