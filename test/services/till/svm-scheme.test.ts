/** A payment on Solana in its own words: what pays an offer, and what is refused before anybody asks a chain. */
import {
  type Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { messageSha256, tokenAccount } from '../../../pipelines/domains/payments/svm/payment.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { openSchemes } from '../../../services/till/schemes/open-schemes.ts'
import type { Scheme } from '../../../services/till/schemes/scheme.ts'
import type { PaymentOffer } from '../../../services/till/till.ts'
import {
  payerOf,
  solanaInstructions,
  solanaPayment,
  solanaTransaction,
} from '../../attacks/solana-payment.ts'
import { payToSolana } from './paying.ts'

const { asset, caip2 } = networks.solana
const now = Date.parse('2026-04-13T14:00:00Z')
const scheme = openSchemes({ solana: ['http://127.0.0.1:9'] }, () => now).get(caip2) as Scheme
const offer = (solanaPayment(Buffer.of()) as { accepted: PaymentOffer }).accepted
const payer = payerOf('seed').publicKey.toBase58()
const other = payerOf('another').publicKey.toBase58()
const usual = solanaTransaction('seed')

/** The usual transaction with another account in this place of its transfer: source, mint, destination, owner. */
const withAccount = (place: number, account: string) =>
  solanaTransaction('seed', instructions => {
    const key = instructions[2]?.keys[place]
    if (key) key.pubkey = new PublicKey(account)
    return instructions
  })
const unsigned = Buffer.concat([usual.subarray(0, 1), Buffer.alloc(128), usual.subarray(129)])
const ofAnother = withAccount(0, tokenAccount(other, asset))
/** Its payer pays for the transaction, too. */
const byFeePayer = (key: Keypair, instructions: TransactionInstruction[]) => {
  const words = { payerKey: key.publicKey, recentBlockhash: other, instructions }
  const transaction = new VersionedTransaction(new TransactionMessage(words).compileToV0Message())
  transaction.sign([key])
  return Buffer.from(transaction.serialize())
}
/** Bytes behind a message change nothing that is read of it. Its signature does not fit them. */
const padded = (length: number) => Buffer.concat([usual, Buffer.alloc(length - usual.length)])

const payloadOf = (transaction: Buffer | string | undefined): Record<string, unknown> => ({
  transaction: Buffer.isBuffer(transaction) ? transaction.toString('base64') : transaction,
})
const check = (transaction: Buffer | string | undefined, more: Partial<PaymentOffer> = {}) =>
  scheme.check(payloadOf(transaction), { ...offer, ...more })

describe('a payment on Solana', () => {
  it('is taken with what finds it on the chain, and with nothing else that stood in its payload', async () => {
    const spend = await scheme.check({ ...payloadOf(usual), more: 'words' }, offer)
    const message_sha256 = messageSha256(usual)
    const { blockhash } = spend.trace as { blockhash: string }
    expect(spend).toEqual({
      ...{ payer, spendId: sha256(`${caip2}|${message_sha256}`), payload: payloadOf(usual) },
      trace: { network: caip2, source: tokenAccount(payer, asset), message_sha256, blockhash },
      ...{ expiresAt: Number.POSITIVE_INFINITY, deadAt: now + 150_000, firstDeadAt: now },
      ...{ proven: true, settlesSurely: false, patienceMs: 15_000 },
    })
    expect(spend.deadAt - now).toBe(scheme.longestLifeMs)
    expect(scheme.spendOf(payloadOf(usual))).toBe(spend.spendId)
    expect(scheme.plain({ ...payloadOf(usual), more: 'words' })).toEqual(payloadOf(usual))
  })

  it.each<[string, Buffer | string | undefined, Partial<PaymentOffer>, string]>([
    ['no transaction', undefined, {}, 'transaction is not base64'],
    ['letters that are not base64', 'ä', {}, 'transaction is not base64'],
    ['bytes that are not a transaction', Buffer.alloc(200), {}, 'transaction is not one transfer'],
    ['a transaction longer than a packet', padded(1233), {}, 'transaction is not one transfer'],
    ['another fee payer', usual, { extra: { feePayer: other } }, 'fee payer is not that of the offer'],
    [
      'a fee payer who pays with his own dollars',
      byFeePayer(payerOf('seed'), solanaInstructions('seed')),
      { extra: { feePayer: payer } },
      'the fee payer cannot be the payer',
    ],
    ['another token', usual, { asset: other }, 'the token is not the asset'],
    ['another seller', usual, { payTo: other }, 'the destination is not that of payTo'],
    ['too little', usual, { amount: '2001' }, 'the amount is not that of the offer'],
    ['too much', usual, { amount: '1999' }, 'the amount is not that of the offer'],
    ['no signature of the payer', unsigned, {}, 'the signature is not that of the payer'],
    ['the dollars of another', ofAnother, {}, 'the source is not the token account of the payer'],
  ])('with %s is refused in words', async (_, transaction, more, why) => {
    await expect(check(transaction, more)).rejects.toMatchObject({
      code: 'invalid_payment',
      message: expect.stringContaining(why),
    })
  })

  it('that fills a packet is read, and only its signature is refused', async () => {
    await expect(check(padded(1232))).rejects.toThrow('the signature is not that of the payer')
  })
})

describe('a payment of the past on Solana', () => {
  const pastOf = (transaction: Buffer | string | undefined) => scheme.past(payloadOf(transaction))

  it('pays only whom its transfer names', () => {
    const past = pastOf(usual)
    expect([past?.pays(payToSolana), past?.pays(other)]).toEqual([true, false])
    expect(past).toMatchObject({ sinceMs: 0, deadAt: undefined })
    expect(past?.trace).toMatchObject({ network: caip2, source: tokenAccount(payer, asset) })
  })

  it('is signed by its payer, or nobody can tell, or it is not signed', () => {
    expect(pastOf(usual)?.isSigned()).toBe(true)
    expect(pastOf(unsigned)?.isSigned()).toBe(false)
    expect(pastOf(ofAnother)?.isSigned()).toBe(undefined)
  })

  it.each([
    ['without a transaction', undefined],
    ['in another token', withAccount(1, other)],
    ['longer than any', padded(2000)],
  ])('%s is none', (_, transaction) => {
    expect(pastOf(transaction)).toBe(undefined)
  })

  it('is plain only in strict base64, and as one transfer', () => {
    expect(scheme.plain(payloadOf(`${usual.toString('base64')} `))).toBe(undefined)
    expect(scheme.plain(payloadOf(Buffer.alloc(200)))).toBe(undefined)
    expect(scheme.plain({})).toBe(undefined)
  })
})
