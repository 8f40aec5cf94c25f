/** The message of one transfer of a token, in the form of x402's `exact`: two limits of its cost, the transfer, a memo. */
import { ComputeBudgetProgram, PublicKey, TransactionInstruction, TransactionMessage } from '@solana/web3.js'
import { tokenProgram, transferChecked } from './payment.ts'
import { memoProgram } from './sponsored.ts'

interface Terms {
  owner: string
  /** It may be the owner himself. */
  feePayer: string
  /** The most compute, and the price of each unit of it. */
  units: number
  microLamports: number
  source: string
  mint: string
  destination: string
  amount: bigint
  decimals: number
  memo: string
  blockhash: string
}

export function transferMessage(terms: Terms): Buffer {
  const { owner, feePayer, source, mint, destination, amount, decimals, memo, blockhash } = terms
  const data = Buffer.alloc(10)
  data[0] = transferChecked
  data.writeBigUInt64LE(amount, 1)
  data[9] = decimals
  const touched = (at: string, isWritable: boolean) => ({
    pubkey: new PublicKey(at),
    isSigner: false,
    isWritable,
  })
  const message = new TransactionMessage({
    payerKey: new PublicKey(feePayer),
    recentBlockhash: blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: terms.units }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: terms.microLamports }),
      new TransactionInstruction({
        programId: tokenProgram,
        keys: [
          ...[touched(source, true), touched(mint, false), touched(destination, true)],
          { pubkey: new PublicKey(owner), isSigner: true, isWritable: false },
        ],
        data,
      }),
      new TransactionInstruction({
        programId: new PublicKey(memoProgram),
        keys: [],
        data: Buffer.from(memo),
      }),
    ],
  }).compileToV0Message()
  return Buffer.from(message.serialize())
}
