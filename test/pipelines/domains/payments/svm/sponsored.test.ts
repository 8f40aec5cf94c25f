import { createPublicKey, verify } from 'node:crypto'
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { fromBase58, toBase58 } from '../../../../../pipelines/domains/payments/svm/base58.ts'
import { readTransfer } from '../../../../../pipelines/domains/payments/svm/payment.ts'
import {
  feePayerOf,
  objectionTo,
  sponsored,
} from '../../../../../pipelines/domains/payments/svm/sponsored.ts'
import { payerOf, solanaInstructions, solanaTransaction } from '../../../../attacks/solana-payment.ts'
import { feePayerKey } from '../../../../services/till/stub-facilitator.ts'

const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const lighthouse = new PublicKey('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95')
const account = (pubkey: PublicKey, isSigner = false) => ({ pubkey, isSigner, isWritable: false })
const beside = (programId: PublicKey, ...keys: ReturnType<typeof account>[]) =>
  new TransactionInstruction({ programId, keys, data: Buffer.from('a text') })
const objection = (change?: (usual: TransactionInstruction[]) => TransactionInstruction[]) =>
  objectionTo(solanaTransaction('a payer', change), feePayerKey)

describe('what we pay the fee of', () => {
  it('is the payment of a client, and what wallets put beside it', () => {
    const payer = account(payerOf('a payer').publicKey, true)
    expect(objection()).toBeUndefined()
    expect(
      objection(usual => [...usual, beside(memoProgram, payer), beside(lighthouse, payer)]),
    ).toBeUndefined()
  })

  it.each<[string, string, (usual: TransactionInstruction[]) => TransactionInstruction[]]>([
    [
      'a use of our key',
      'fee_payer_used',
      u => [...u, beside(memoProgram, account(new PublicKey(feePayerKey), true))],
    ],
    ['another program', 'instruction', u => [...u, beside(new PublicKey(payerOf('a program').publicKey))]],
    [
      'a third signature',
      'signers',
      u => [...u, beside(memoProgram, account(payerOf('another').publicKey, true))],
    ],
    [
      'a dear compute price',
      'compute_price',
      u => [
        u[0] as never,
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 250_001 }),
        u[2] as never,
      ],
    ],
    [
      'much compute',
      'compute_price',
      u => [ComputeBudgetProgram.setComputeUnitLimit({ units: 400_001 }), ...u.slice(1)],
    ],
    [
      'another word for compute',
      'compute_price',
      u => [u[0] as never, ComputeBudgetProgram.requestHeapFrame({ bytes: 32 * 1024 }), u[2] as never],
    ],
  ])('is not %s', (_, word, change) => {
    expect(objection(change)).toBe(word)
  })

  it('is not the fee of another, nor what no parser reads', () => {
    expect(objectionTo(solanaTransaction('a payer'), payerOf('another').publicKey.toBase58())).toBe('signers')
    expect(objectionTo(Buffer.from([1, ...Buffer.alloc(64), 0x81, 0]), feePayerKey)).toBe('unreadable')
    expect(objectionTo(Buffer.alloc(0), feePayerKey)).toBe('unreadable')
  })

  it('is nothing that names accounts which are not in it', () => {
    const hidden = payerOf('hidden').publicKey
    const table = new AddressLookupTableAccount({
      key: payerOf('table').publicKey,
      state: {
        ...{ deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 },
        addresses: [hidden],
      },
    })
    const message = new TransactionMessage({
      payerKey: new PublicKey(feePayerKey),
      recentBlockhash: hidden.toBase58(),
      instructions: [...solanaInstructions('a payer'), beside(memoProgram, account(hidden))],
    }).compileToV0Message([table])
    expect(objectionTo(new VersionedTransaction(message).serialize(), feePayerKey)).toBe('address_table')
  })
})

describe('the key that pays', () => {
  const keypair = Keypair.fromSeed(Buffer.alloc(32, 7))
  const text = toBase58(keypair.secretKey)

  it('is read as wallets export it', () => {
    expect(feePayerOf(text)?.address).toBe(keypair.publicKey.toBase58())
    const wrong = Buffer.from(keypair.secretKey)
    wrong[63] = (wrong[63] as number) ^ 1
    for (const none of ['', 'secret', toBase58(keypair.secretKey.subarray(0, 32)), toBase58(wrong)])
      expect(feePayerOf(none)).toBeUndefined()
  })

  it('signs in the first place, always alike, and leaves the payer’s signature', () => {
    const payer = feePayerOf(text)
    if (!payer) throw new Error('no key')
    const message = new TransactionMessage({
      payerKey: keypair.publicKey,
      recentBlockhash: payerOf('a block').publicKey.toBase58(),
      instructions: solanaInstructions('a payer'),
    }).compileToV0Message()
    const transaction = new VersionedTransaction(message)
    transaction.sign([payerOf('a payer')])
    const { signature, wire } = sponsored(transaction.serialize(), payer)
    expect(sponsored(transaction.serialize(), payer).signature).toBe(signature)
    expect(readTransfer(Buffer.from(wire, 'base64'))?.signed).toBe(true)
    const bytes = Buffer.from(wire, 'base64')
    const signed = bytes.subarray(1 + 2 * 64)
    expect(verify(null, signed, createPublicKey(payer.key), fromBase58(signature) as Uint8Array)).toBe(true)
    expect(bytes.subarray(1, 65)).toEqual(Buffer.from(fromBase58(signature) as Uint8Array))
  })
})
