/** Writes accounts and transactions in the JSON of a Solana node. */
import { zstdCompressSync } from 'node:zlib'
import { getBase58Decoder, getBase64EncodedWireTransaction, type Transaction } from '@solana/kit'
import type { SolanaChain } from './solana-chain.ts'
import { mintDecimals, tokenAmount, tokenMint, tokenOwner, tokenProgram } from './solana-token.ts'
import { type AccountHeld, type Landed, messageOf } from './solana-transaction.ts'

export const result = (err: unknown) => (err ? { Err: err } : { Ok: null })
export const statusJson = ({ slot, err }: Landed) => ({ slot, err, confirmationStatus: 'finalized' })

const packed = 'base64+zstd'

export function accountJson(account: ReturnType<SolanaChain['account']>, encoding = 'base64') {
  if (!account) return null
  const { executable, lamports, programAddress: owner, space, data } = account
  return {
    executable,
    lamports,
    owner,
    space,
    rentEpoch: 0,
    data:
      encoding === packed
        ? [zstdCompressSync(data).toString('base64'), packed]
        : [Buffer.from(data).toString('base64'), 'base64'],
  }
}

export const amountJson = (amount: bigint, decimals = 6) => {
  const ui = Number(amount) / 10 ** decimals
  return { amount: String(amount), decimals, uiAmount: ui, uiAmountString: String(ui) }
}

type Encoding = 'json' | 'jsonParsed' | 'base64'

export function transactionJson(chain: SolanaChain, landed: Landed, encoding: Encoding) {
  const decimalsOf = (mint: ReturnType<typeof tokenMint>) =>
    mintDecimals(chain.account(mint)?.data ?? new Uint8Array())
  const tokens = (held: readonly AccountHeld[]) =>
    held.flatMap(({ token }, accountIndex) =>
      token
        ? [
            {
              accountIndex,
              mint: tokenMint(token),
              owner: tokenOwner(token),
              programId: tokenProgram,
              uiTokenAmount: amountJson(tokenAmount(token), decimalsOf(tokenMint(token))),
            },
          ]
        : [],
    )
  const lamports = (held: readonly AccountHeld[]) => held.map(account => account.lamports)
  return {
    slot: landed.slot,
    blockTime: landed.blockTime,
    version: 0,
    transaction:
      encoding === 'base64'
        ? [getBase64EncodedWireTransaction(landed.transaction), 'base64']
        : encoding === 'json'
          ? messageJson(landed.transaction)
          : parsedMessageJson(landed.transaction),
    meta: {
      err: landed.err,
      status: result(landed.err),
      fee: (landed.before[0]?.lamports ?? 0n) - (landed.after[0]?.lamports ?? 0n),
      preBalances: lamports(landed.before),
      postBalances: lamports(landed.after),
      preTokenBalances: tokens(landed.before),
      postTokenBalances: tokens(landed.after),
      innerInstructions: [],
      loadedAddresses: { readonly: [], writable: [] },
      logMessages: landed.logs,
      computeUnitsConsumed: landed.computeUnits,
      rewards: [],
    },
  }
}

function messageJson(transaction: Transaction) {
  const { header, staticAccounts, lifetimeToken, instructions } = messageOf(transaction)
  const base58 = (bytes: Uint8Array) => getBase58Decoder().decode(bytes)
  return {
    signatures: Object.values(transaction.signatures).map(bytes => base58(bytes ?? new Uint8Array(64))),
    message: {
      header: {
        numRequiredSignatures: header.numSignerAccounts,
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      },
      accountKeys: staticAccounts,
      recentBlockhash: lifetimeToken,
      addressTableLookups: [],
      instructions: instructions.map(instruction => ({
        programIdIndex: instruction.programAddressIndex,
        accounts: instruction.accountIndices ?? [],
        data: base58(new Uint8Array(instruction.data ?? [])),
        stackHeight: 1,
      })),
    },
  }
}

/** The form `jsonParsed`: a node decodes the programs that it knows. The sandbox decodes token transfers only. */
function parsedMessageJson(transaction: Transaction) {
  const { signatures, message } = messageJson(transaction)
  const { accountKeys, header, instructions, recentBlockhash } = message
  const signers = header.numRequiredSignatures
  return {
    signatures,
    message: {
      accountKeys: accountKeys.map((pubkey, i) => ({
        pubkey,
        signer: i < signers,
        source: 'transaction',
        writable:
          i < signers
            ? i < signers - header.numReadonlySignedAccounts
            : i < accountKeys.length - header.numReadonlyUnsignedAccounts,
      })),
      recentBlockhash,
      addressTableLookups: [],
      instructions: messageOf(transaction).instructions.map((instruction, i) => {
        const programId = accountKeys[instruction.programAddressIndex] as string
        const accounts = (instruction.accountIndices ?? []).map(index => accountKeys[index] as string)
        const info = programId === tokenProgram ? transferInfo(accounts, instruction.data) : undefined
        return info
          ? { program: 'spl-token', programId, parsed: { type: 'transferChecked', info }, stackHeight: 1 }
          : { programId, accounts, data: instructions[i]?.data, stackHeight: 1 }
      }),
    },
  }
}

const transferChecked = 12

function transferInfo(accounts: readonly string[], given: ArrayLike<number> = []) {
  const data = Buffer.from(Uint8Array.from(given))
  const [source, mint, destination, authority] = accounts
  if (data[0] !== transferChecked || data.length !== 10) return undefined
  return { source, mint, destination, authority, tokenAmount: amountJson(data.readBigUInt64LE(1)) }
}
