/** 'a price of %s never goes on sale' */
import { createHash } from 'node:crypto'
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { tokenAccount } from '../../pipelines/domains/payments/svm/payment.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { payToSolana } from '../services/till/paying.ts'
import { feePayerKey } from '../services/till/stub-facilitator.ts'

const { asset, caip2 } = networks.solana
const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

export const payerOf = (seed: string) => Keypair.fromSeed(createHash('sha256').update(seed).digest())

/** The form of x402: two instructions for the fee, and the transfer. */
export function solanaInstructions(seed: string): TransactionInstruction[] {
  const payer = payerOf(seed).publicKey.toBase58()
  const at = (key: string, isSigner: boolean, isWritable: boolean) => ({
    pubkey: new PublicKey(key),
    isSigner,
    isWritable,
  })
  const data = Buffer.alloc(10)
  data[0] = 12
  data.writeBigUInt64LE(2000n, 1)
  data[9] = 6
  return [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
    new TransactionInstruction({
      programId: tokenProgram,
      keys: [
        at(tokenAccount(payer, asset), false, true),
        at(asset, false, false),
        at(tokenAccount(payToSolana, asset), false, true),
        at(payer, true, false),
      ],
      data,
    }),
  ]
}

export function solanaTransaction(
  seed: string,
  change = (usual: TransactionInstruction[]): TransactionInstruction[] => usual,
): Buffer {
  const payer = payerOf(seed)
  const message = new TransactionMessage({
    payerKey: new PublicKey(feePayerKey),
    recentBlockhash: new PublicKey(createHash('sha256').update(`block ${seed}`).digest()).toBase58(),
    instructions: change(solanaInstructions(seed)),
  }).compileToV0Message()
  const transaction = new VersionedTransaction(message)
  transaction.sign([payer])
  return Buffer.from(transaction.serialize())
}

export const solanaPayment = (transaction: Buffer): object => ({
  x402Version: 2,
  accepted: {
    scheme: 'exact',
    network: caip2,
    amount: '2000',
    asset,
    payTo: payToSolana,
    maxTimeoutSeconds: 60,
    extra: { feePayer: feePayerKey },
  },
  payload: { transaction: transaction.toString('base64') },
})
